# The local side: what follows runs with the stub before all other programs.
PATH=${0%/*}:$PATH
exec "$@"
