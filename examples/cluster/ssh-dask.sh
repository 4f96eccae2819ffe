#!/bin/bash
# A study on machines that are reached by ssh, by Dask: scheduler and client here, workers there.
#
#   ./ssh-dask.sh akella2002 alice@lab-1 alice@lab-2 alice@lab-3
#
# Every machine has the same Sawtooth (pip install 'sawtooth[cluster]' of the same wheel) and reaches ADDRESS, this machine's address in a
# network that you trust. A machine that is switched off costs what it was about to make; the others make that.
set -euo pipefail

study=$1
shift
address=${ADDRESS:-$(hostname -I | cut -d ' ' -f 1)}
port=${PORT:-8786}
threads=${THREADS:-'$(nproc)'} # the quotes are meant: each machine counts its own
python=${PYTHON:-python3}

dask scheduler --host "$address" --port "$port" --no-dashboard &
scheduler=$!
trap 'kill $scheduler; wait' EXIT # it sends the workers home
for host in "$@"; do
    ssh "$host" "$python -m dask worker tcp://$address:$port --nthreads $threads --no-nanny --no-dashboard --death-timeout 60" &
done

sawtooth reproduce "$study" --store store --executor dask --scheduler "tcp://$address:$port"
