"""The one container of whoever keeps it: started when it is first wanted, replaced where it did not come clean."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytest_quotebench.core.errors import Broken
from pytest_quotebench.processes.containers.containers import Container, Shape

if TYPE_CHECKING:
    from docker import DockerClient


class ContainerKeeper:
    """Keeps a container of one image."""

    def __init__(self, client: DockerClient, image: str) -> None:
        self._client = client
        self._image = image
        self._container: Container | None = None

    def close(self) -> None:
        """Remove the container, if there is one."""
        container, self._container = self._container, None
        if container is not None:
            container.close()

    def _ready(self, shape: Shape) -> Container:
        """Return a container that waits for an item; a new one where there is none, or it did not come clean."""
        if self._container is not None and self._container.shape == shape:
            try:
                self._container.wait_until_ready()
            except Broken:
                self.close()
            else:
                return self._container
        self.close()
        self._container = Container(self._client, self._image, shape)
        try:
            self._container.wait_until_ready()
        except BaseException:
            self.close()
            raise
        return self._container
