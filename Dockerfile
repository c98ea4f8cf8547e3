# A pinned GNU userland for the commands of replies, and nothing else.
#
#     docker build -t quotebench - < Dockerfile
#     docker build -t quotebench --build-arg BASE=my-debian-12 - < Dockerfile     where there is no registry
#
# BASE is any Debian 12. Nothing is copied in and no secret is needed; only the build uses the network.
ARG BASE=debian:bookworm-slim
FROM ${BASE}

# gawk's package makes itself `awk`. The versions are those of Debian 12: bash 5.2.15, coreutils 9.1,
# findutils 4.9.0, gawk 5.2.1, git 2.39, grep 3.8, sed 4.9; security updates change only what follows.
# python3 runs the docker sandbox's agent, and is what some replies call. A base that has all of it needs no network.
RUN set -e; install() { DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends \
      'bash=5.2*' 'coreutils=9.1*' 'findutils=4.9*' 'gawk=1:5.2*' 'git=1:2.39*' 'grep=3.8*' 'sed=4.9*' python3; }; \
    install || { apt-get update && install; }; \
    apt-get clean; rm -rf /var/lib/apt/lists/*; \
    useradd --uid 10001 --home-dir /nonexistent --no-create-home --shell /usr/sbin/nologin quotebench

# The users that items run as: programs such as ssh look themselves up.
RUN for n in $(seq 20001 20064); do echo "item$n:x:$n:$n::/qb/task:/bin/bash" >>/etc/passwd; \
      echo "item$n:x:$n:" >>/etc/group; done

USER 10001:10001
WORKDIR /tmp
ENV LC_ALL=C LANG=C
CMD ["bash"]
