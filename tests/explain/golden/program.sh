#!/bin/bash
# 8 ranks as 2x4, 2 threads each, planned for machine das by model p3pc.
# Time limit: the predicted time is unknown: 60 minutes are a guess, set them as you know better.
# Memory: 1.25 times the 5.00 MiB of the root and 965 KiB of each other rank, and 256 MiB a rank beside.
# Only part of the program is planned: it goes on with a value that only a run can give.
# Note: operator costs are those of machine 'laptop'
# Note: the number of cores of a node is unknown: one rank a node was assumed, and no thread beside it, which leaves 8 nodes
#SBATCH --job-name=tilewright
#SBATCH --nodes=3
#SBATCH --ntasks=8
#SBATCH --ntasks-per-node=3
#SBATCH --cpus-per-task=2
#SBATCH --time=01:00:00
#SBATCH --mem=777M

mpiexec -n 8 ./app 'in put.tif' out
