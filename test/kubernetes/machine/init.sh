#!/bin/bash
# The first process of the node's namespaces: reaps what containers leave behind. When it ends, everything in the namespaces ends with it.
ulimit -n "$(ulimit -Hn)"
"$@" &
wait $!
