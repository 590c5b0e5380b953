"""What a path says of its file."""

from __future__ import annotations

import pytest

from avionics.index.model.file_roles import FileRole, role_of


@pytest.mark.parametrize(
    ("path", "standing"),
    [
        ("src/app.py", FileRole.PRODUCT),
        ("django/test/client.py", FileRole.PRODUCT),
        ("latest/protest.py", FileRole.PRODUCT),
        ("app/migrations/utils.py", FileRole.PRODUCT),
        ("tests/helpers.py", FileRole.TEST),
        ("pkg/tests/data.py", FileRole.TEST),
        ("test/run.py", FileRole.TEST),
        ("packages/core/test/run.ts", FileRole.TEST),
        ("tools/release.py", FileRole.AUXILIARY),
        ("fuzzing/run.py", FileRole.AUXILIARY),
        ("lib/configure", FileRole.AUXILIARY),
        ("lib/configure.py", FileRole.PRODUCT),
        ("product/tools/locate.py", FileRole.PRODUCT),
        ("src/plugins/unit/plugin_tests.rs", FileRole.TEST),
        ("src/run_tests.py", FileRole.PRODUCT),
        ("pkg/test_app.py", FileRole.TEST),
        ("pkg/conftest.py", FileRole.TEST),
        ("src/test/java/A.java", FileRole.TEST),
        ("src/it/java/A.java", FileRole.TEST),
        ("itests/hello.java", FileRole.TEST),
        ("src/items/it.py", FileRole.PRODUCT),
        (".github/release.py", FileRole.AUXILIARY),
        ("t/mocks.py", FileRole.TEST),
        ("src/t/table.py", FileRole.PRODUCT),
        ("integration_tests/server.py", FileRole.TEST),
        ("web/e2e/login.ts", FileRole.TEST),
        ("app/migrations/0001_initial.py", FileRole.GENERATED),
        ("api/thing_pb2.py", FileRole.GENERATED),
        ("pkg/api/generated.go", FileRole.GENERATED),
        ("src/generated_names.py", FileRole.PRODUCT),
        ("pkg/_vendor/six.py", FileRole.VENDORED),
        ("packages/node_modules/@own/util/lib/log.js", FileRole.PRODUCT),
        ("packages/node_modules/@own/util/node_modules/six/six.js", FileRole.VENDORED),
        ("packages/a/node_modules/six/six.js", FileRole.VENDORED),
        ("node_modules/six/six.js", FileRole.VENDORED),
        ("static/app.min.js", FileRole.VENDORED),
        (".yarn/releases/yarn.cjs", FileRole.VENDORED),
        ("docs/bower_components/jquery.js", FileRole.VENDORED),
        ("integration/main.py", FileRole.TEST),
        ("src/integration/github.py", FileRole.PRODUCT),
        ("examples/hello.py", FileRole.AUXILIARY),
        ("benchmark/speed.rs", FileRole.AUXILIARY),
        ("lib/benchmarks/speed.py", FileRole.AUXILIARY),
        ("src/benchmark/executor.rs", FileRole.PRODUCT),
        ("setup.py", FileRole.AUXILIARY),
    ],
)
def test_a_path_tells_how_near_its_file_is_to_the_product(path: str, standing: FileRole) -> None:
    assert role_of(path) is standing
