# The local side of ssh. Arguments: the report, `pasted` or `argument`, and the command.
#
# `pasted` is what somebody types who puts the command between double quotes: the first shell is the inner bash of
# this line, and it sees the text as it stands. The directory of these files has no other place to stand.
aux=${0%/*}
printf -v here %q "$aux"
printf -v report %q "$1"
options="-F $here/ssh_config -i $here/key -o UserKnownHostsFile=$here/known_hosts"
options="$options -o ProxyCommand='bash $here/serve.sh $report' -o LocalCommand='printf connected >$report'"
if [ "$2" = pasted ]; then
  exec bash -c "ssh $options host \"$3\""
fi
eval "exec ssh $options -- host \"\$3\""
