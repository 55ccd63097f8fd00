# each_loop.bash PROGRAM TIMEOUT WORD...   a process for each URL, of a program that takes one
# A word is a URL or a number of seconds to pause. The exit code is 1 when one failed.
exec 2>&1       # one order for what it says
program=$1
timeout=$2
shift 2

ask() {
	local rest=${1#*://}
	local host=${rest%%:*}
	local port=${rest#*:}
	port=${port%%/*}
	case $program in
	git)
		GIT_TERMINAL_PROMPT=0 timeout "$timeout" git ls-remote "$1" ;;
	psql)
		PGCONNECT_TIMEOUT=${timeout%.*} PGSSLMODE=disable PGGSSENCMODE=disable \
			psql -X -w -t -h "$host" -p "$port" -U nobody -c 'SELECT 1' postgres ;;
	redis)
		timeout "$timeout" redis-cli -h "$host" -p "$port" PING ;;
	ssh)
		ssh -F /dev/null -o BatchMode=yes -o ConnectTimeout="${timeout%.*}" \
			-o StrictHostKeyChecking=no -p "$port" "$host" true ;;
	esac
}

failed=0
for word; do
	if [[ $word == */* ]]; then
		ask "$word" || failed=1
	else
		sleep "$word"
	fi
done
exit $failed
