# tcp_loop.bash TIMEOUT URL...   the same with /dev/tcp; the time-out is for the answer only
exec 2>&1       # one order for what it says
timeout=$1
shift
failed=0
for url; do
    if [[ $url != */* ]]; then
        sleep "$url"
        continue
    fi
    rest=${url#http://}
    host=${rest%%:*}
    port=${rest#*:}
    path=/${port#*/}
    if ! { exec 3<>"/dev/tcp/$host/${port%%/*}"; }; then
        failed=1
        continue
    fi
    printf 'GET %s HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n' "$path" "$host" >&3
    if read -r -t "$timeout" -u 3 line; then
        echo "${line%$'\r'}"
    else
        echo "no answer"
        failed=1
    fi
    exec 3>&-
done
exit $failed
