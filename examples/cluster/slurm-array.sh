#!/bin/bash
# A study in parts on Slurm, nothing beside Sawtooth: each task of the array makes its part of the runs into a store of its own.
#
#   job=$(sbatch --parsable slurm-array.sh akella2002)
#   sbatch --dependency=afterok:"$job" slurm-merge.sh akella2002
#
# The first word is a paper, a figure of one, or a study file of your own. A task that was stopped goes on where it was when it is
# submitted again: sbatch --array=7 slurm-array.sh akella2002
#SBATCH --job-name=sawtooth
#SBATCH --array=1-64
#SBATCH --cpus-per-task=4
#SBATCH --time=02:00:00
#SBATCH --requeue
set -euo pipefail

study=${1:-akella2002}
parts=${PARTS:-64}
part=$SLURM_ARRAY_TASK_ID
export SAWTOOTH_THREADS=${SLURM_CPUS_PER_TASK:-1}

sawtooth reproduce "$study" --shard "$part/$parts" --store "parts/$part"
