"""Names of the project, which its manifests at the root and the title of its README give."""

import pytest

from avionics.index.modules.published_names import find_project_names


@pytest.mark.parametrize(
    ("files", "names"),
    [
        ({"pyproject.toml": '[project]\nname = "parcels"\n'}, ("parcels",)),
        ({"package.json": '{"name": "@shop/parcels"}', "web/package.json": '{"name": "web"}'}, ("parcels",)),
        ({"settings.gradle.kts": 'rootProject.name = "Parcels"\n'}, ("Parcels",)),
        ({"CMakeLists.txt": "project(Parcels VERSION 1.0)\n"}, ("Parcels",)),
        ({"parcels.gemspec": "", "engines/box.gemspec": ""}, ("parcels",)),
        (
            {
                "README.md": "# Parcels\n\nSee core.\n",
                "crates/core/Cargo.toml": '[package]\nname = "core"\n',
                "crates/main/Cargo.toml": '[package]\nname = "parcels"\n',
            },
            ("parcels",),
        ),
        ({"core/settings.gradle": 'rootProject.name = "core"\n', "README.md": "# Core\n"}, ()),
    ],
)
def test_a_project_is_called_as_its_outermost_manifest_or_its_title_says(
    files: dict[str, str], names: tuple[str, ...]
) -> None:
    assert find_project_names(files, files.__getitem__) == names
