#!/bin/bash
# A study on Slurm by Dask: one job with a scheduler, as many workers as it has tasks, and the command itself as client.
#
#   sbatch --ntasks=200 slurm-dask.sh akella2002
#
# Workers that die are replaced by none, and the others do their work. If the job ends early, submit it again: what is finished is in the store.
#SBATCH --job-name=sawtooth-dask
#SBATCH --ntasks=64
#SBATCH --cpus-per-task=1
#SBATCH --time=02:00:00
set -euo pipefail

study=${1:-akella2002}
file=scheduler-$SLURM_JOB_ID.json

export DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED=False # nobody looks at pictures of where workers spend their time
# Dask runs whatever reaches these ports: docs/clusters.md says how to have it ask for certificates.
dask scheduler --scheduler-file "$file" --no-dashboard &
scheduler=$!
trap 'kill $scheduler; wait; rm -f "$file"' EXIT # it sends the workers home
until [ -s "$file" ]; do sleep 1; done
srun dask worker --scheduler-file "$file" --nthreads 1 --no-nanny --no-dashboard --death-timeout 60 &

sawtooth reproduce "$study" --store store --executor dask --scheduler "$file"
