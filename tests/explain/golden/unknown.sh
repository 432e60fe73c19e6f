#!/bin/bash
# 1 rank as 1x1, 1 thread each, planned for machine laptop by model loggp-star.
# Time limit: the predicted time is unknown: 60 minutes are a guess, set them as you know better.
# Memory: 1.25 times the 1000 B of the root and 0 B of each other rank, and 256 MiB a rank beside.
# Only part of the program is planned: it goes on with a value that only a run can give.
#SBATCH --job-name=tilewright
#SBATCH --nodes=1
#SBATCH --ntasks=1
#SBATCH --ntasks-per-node=1
#SBATCH --cpus-per-task=1
#SBATCH --time=01:00:00
#SBATCH --mem=257M

mpiexec -n 1 ./app 'in put.tif' out
