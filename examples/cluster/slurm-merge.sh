#!/bin/bash
# Behind slurm-array.sh: the stores of the parts into one, then tables, verdicts and report, for which nothing is simulated.
#SBATCH --job-name=sawtooth-merge
#SBATCH --cpus-per-task=4
#SBATCH --time=00:30:00
set -euo pipefail

study=${1:-akella2002}

sawtooth store merge whole parts/*
sawtooth reproduce "$study" --store whole --report report.html
