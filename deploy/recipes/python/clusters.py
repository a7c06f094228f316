# deploy/recipes/python/clusters.py
"""A client of a cluster for all other recipes: it sends no command twice, waits longer for an answer than any BLOCK, and raises a
ConnectionError when it reaches no node, and a TryAgainError while a slot is on its way, so that loops outlast that, too. Commands
without a key need target_nodes=server.RANDOM.

redis-py 4.3 sends what broke off up to five times, whatever it is told: give its writes tokens (retries.py), or take a newer one."""

import redis
from redis.cluster import RedisCluster
from redis.exceptions import ClusterError, RedisClusterException, TryAgainError

from holdfast import LONGEST_BLOCK


class Cluster(RedisCluster):
    ERRORS_ALLOW_RETRY = ()  # what broke off may have been done

    def execute_command(self, *words, **options):
        try:
            return super().execute_command(*words, **options)
        except RedisClusterException as error:
            if "dispatch" in str(error):  # there is no key in it
                raise
            raise redis.ConnectionError(str(error)) from error
        except ClusterError as error:
            if isinstance(error, redis.ResponseError):
                raise
            raise TryAgainError(str(error)) from error  # the slot is on its way, and nothing was done
        except ValueError as error:
            if "closed file" not in str(error):  # another thread has closed the connection
                raise
            raise redis.ConnectionError(str(error)) from error


def connect_cluster(host="127.0.0.1", port=6379, **options):
    options.setdefault("socket_timeout", LONGEST_BLOCK + 10)
    return Cluster(host=host, port=port, **options)
