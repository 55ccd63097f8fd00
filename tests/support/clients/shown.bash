# shown.bash PROGRAM WORD...   a process for each word; what it says becomes one line
# A word is a URL, or several with spaces between them.
program=$1
shift

ask() {
	local rest=${1#*://}
	local server=${rest%%/*}
	case $program in
	curl) curl -sS -w '\n' "$@" ;;
	curl_f) curl -sSf "$@" ;;
	curl_parallel) curl -sS -w '\n' --parallel --parallel-max 1 "$@" ;;
	curl_retry) curl -sS -w '\n' --retry 3 "$@" ;;
	wget) wget -O - "$@" ;;
	git) git ls-remote "$@" ;;
	psql) PGSSLMODE=disable PGGSSENCMODE=disable \
		psql -X -w -t -h "${server%:*}" -p "${server#*:}" -U nobody -c 'SELECT 1' postgres ;;
	redis) redis-cli -h "${server%:*}" -p "${server#*:}" PING ;;
	bash) exec 3<>"/dev/tcp/${server%:*}/${server#*:}" &&
		printf 'GET / HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n' "$server" >&3 &&
		cat <&3 ;;
	esac
}

for word; do
	# shellcheck disable=SC2086
	said=$(ask $word 2>&1 </dev/null)
	printf '%s\n' "${said//[$'\r\n']/ }"
done
