#!/bin/sh
# Plays an outage and its end: demo.py says how.  ./bootstrap demo builds first.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
build=${CUTOUT_BUILDDIR:-$here/..}

for program in curl python3; do
	command -v "$program" >/dev/null || {
		echo "demo: $program is not on this machine" >&2
		exit 1
	}
done
curl --help all | grep -q -- ' --rate ' || {
	echo "demo: curl is older than 7.84 and cannot pace its calls" >&2
	exit 1
}
[ -x "$build/cutout" ] || {
	echo "demo: $build/cutout is not there; build it first, or set CUTOUT_BUILDDIR" >&2
	exit 1
}
exec python3 "$here/demo.py" "$build/cutout"
