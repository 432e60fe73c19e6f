/work/main/tests/cluster/cluster.sh down
