#!/bin/bash
# 8 ranks as 2x4, 2 threads each, planned for machine das by model p3pc.
# Time limit: 5 minutes for starting up and 3 times the predicted 13.2 ms.
# Memory: 1.25 times the 5.00 MiB of the root and 965 KiB of each other rank, and 256 MiB a rank beside.
# Note: operator costs are those of machine 'laptop'
# Note: the number of cores of a node is unknown: one rank a node was assumed, and no thread beside it, which leaves 8 nodes
#SBATCH --job-name=tilewright
#SBATCH --nodes=3
#SBATCH --ntasks=8
#SBATCH --ntasks-per-node=3
#SBATCH --cpus-per-task=2
#SBATCH --time=00:06:00
#SBATCH --mem=777M

mpiexec -n 8 ./app 'in put.tif' out
