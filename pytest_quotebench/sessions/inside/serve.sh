# The remote side of ssh: one sshd for one connection, on its standard input and output, without any port.
# Argument: the report, where the client writes `connected` over `serving`.
#
# The session is to begin in the task directory with this environment. sshd begins in the home directory that
# /etc/passwd names: where that is another one, a forced command goes there first. As root sshd wants the directory
# /run/sshd, which only its service makes: it gets one that nobody else sees, or, in
# a container that may not do that, a plain one.
aux=${0%/*}
printf serving >"$1"
settings=
for name in PATH HOME LC_ALL LANG TERM GIT_CONFIG_NOSYSTEM GIT_CONFIG_COUNT GIT_CONFIG_KEY_0 GIT_CONFIG_VALUE_0; do
  [ -v "$name" ] && settings="$settings \"$name=${!name}\""
done
serve=(/usr/sbin/sshd -i -f "$aux/sshd_config" -h "$aux/key" -o "AuthorizedKeysFile=$aux/authorized_keys"
  -o "SetEnv=$settings SHLVL=1")
home=$(unset HOME; cd ~ 2>/dev/null && pwd -P)
if [ "$home" != "$(pwd -P)" ]; then
  printf -v here %q "$PWD"
  serve+=(-o "ForceCommand=cd $here && exec bash -c \"\$SSH_ORIGINAL_COMMAND\"")
fi
if [ "$EUID" = 0 ] && [ ! -d /run/sshd ]; then
  if unshare --mount true 2>/dev/null; then
    exec unshare --mount bash -c 'mount -t tmpfs none /run && mkdir -m 755 /run/sshd && exec "$@"' serve "${serve[@]}"
  fi
  mkdir -m 755 /run/sshd
fi
exec "${serve[@]}"
