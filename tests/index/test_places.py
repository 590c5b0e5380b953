"""What a path says of its file."""

from __future__ import annotations

import pytest

from avionics.index.model.file_roles import Standing, standing_of


@pytest.mark.parametrize(
    ("path", "standing"),
    [
        ("src/app.py", Standing.PRODUCT),
        ("django/test/client.py", Standing.PRODUCT),
        ("latest/protest.py", Standing.PRODUCT),
        ("app/migrations/utils.py", Standing.PRODUCT),
        ("tests/helpers.py", Standing.TEST),
        ("pkg/tests/data.py", Standing.TEST),
        ("test/run.py", Standing.TEST),
        ("packages/core/test/run.ts", Standing.TEST),
        ("tools/release.py", Standing.ASIDE),
        ("product/tools/locate.py", Standing.PRODUCT),
        ("pkg/test_app.py", Standing.TEST),
        ("pkg/conftest.py", Standing.TEST),
        ("src/test/java/A.java", Standing.TEST),
        ("app/migrations/0001_initial.py", Standing.GENERATED),
        ("api/thing_pb2.py", Standing.GENERATED),
        ("pkg/_vendor/six.py", Standing.VENDORED),
        ("static/app.min.js", Standing.VENDORED),
        ("examples/hello.py", Standing.ASIDE),
        ("setup.py", Standing.ASIDE),
    ],
)
def test_a_path_tells_how_near_its_file_is_to_the_product(path: str, standing: Standing) -> None:
    assert standing_of(path) is standing
