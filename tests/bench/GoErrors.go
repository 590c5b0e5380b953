// Print the type errors of every package of a directory, tests included, one "file:line:column: message" a line.
//
//	go build -o goerrors tests/bench/GoErrors.go && ./goerrors DIRECTORY
//
// With a second argument it prints the uses of what the directory declares instead: file, line, column and name of
// each, and file, line and column of the declaration, with tabs between them.
//
// `go vet` stops at the first error of a package and reads no package that imports a broken one; the truth of
// bench_check.py needs all of them. Packages that are not in the directory or the standard library are unknown, and
// what depends on them is not reported.
package main

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strings"
)

var modulePattern = regexp.MustCompile(`(?m)^module\s+"?([^\s"]+)`)

// checker type-checks directories on demand and remembers the packages that others import.
type checker struct {
	files    *token.FileSet
	standard types.Importer
	homes    map[string]string
	known    map[string]*types.Package
	errors   map[string]bool
	uses     map[string]bool
}

// Import returns a package of the directory or the standard library.
func (c *checker) Import(path string) (*types.Package, error) {
	directory, isOwn := c.homes[path]
	if !isOwn {
		if strings.Contains(strings.Split(path, "/")[0], ".") {
			return nil, fmt.Errorf("outside")
		}
		return c.standard.Import(path)
	}
	if found, isKnown := c.known[path]; isKnown {
		return found, nil
	}
	c.known[path] = types.NewPackage(path, "incomplete")
	plain, _, _ := c.parse(directory)
	c.known[path] = c.check(path, plain)
	return c.known[path], nil
}

// parse reads the files of a directory that are compiled here: plain ones, internal tests, external tests.
func (c *checker) parse(directory string) (plain, internal, external []*ast.File) {
	entries, _ := os.ReadDir(directory)
	for _, entry := range entries {
		name := entry.Name()
		if isCompiled, err := build.Default.MatchFile(directory, name); !strings.HasSuffix(name, ".go") || err != nil || !isCompiled {
			continue
		}
		file, err := parser.ParseFile(c.files, filepath.Join(directory, name), nil, parser.SkipObjectResolution)
		if err != nil {
			c.errors[err.Error()] = true
		}
		switch {
		case file == nil:
		case !strings.HasSuffix(name, "_test.go"):
			plain = append(plain, file)
		case strings.HasSuffix(file.Name.Name, "_test"):
			external = append(external, file)
		default:
			internal = append(internal, file)
		}
	}
	return
}

// place returns the text of an error at its own line: generated files name those of what they are made from.
func (c *checker) place(err error) string {
	if found, isTyped := err.(types.Error); isTyped {
		return fmt.Sprintf("%s: %s", c.files.PositionFor(found.Pos, false), found.Msg)
	}
	return err.Error()
}

func (c *checker) check(path string, files []*ast.File) *types.Package {
	note := func(err error) {
		if !strings.Contains(err.Error(), "could not import") || !strings.Contains(err.Error(), "outside") {
			c.errors[c.place(err)] = true
		}
	}
	config := types.Config{Importer: c, Error: note, Sizes: types.SizesFor("gc", "amd64"), FakeImportC: true}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	found, _ := config.Check(path, c.files, files, info)
	for used, object := range info.Uses {
		at, declared := c.files.PositionFor(used.Pos(), false), c.files.PositionFor(origin(object).Pos(), false)
		if _, isImport := object.(*types.PkgName); !isImport && strings.HasSuffix(declared.Filename, ".go") {
			row := []interface{}{at.Filename, at.Line, at.Column - 1, used.Name}
			row = append(row, declared.Filename, declared.Line, declared.Column-1)
			c.uses[strings.TrimSuffix(fmt.Sprintf(strings.Repeat("%v\t", len(row)), row...), "\t")] = true
		}
	}
	return found
}

// origin returns the declared method or field of one that belongs to an instance of a generic type.
func origin(object types.Object) types.Object {
	switch found := object.(type) {
	case *types.Func:
		return found.Origin()
	case *types.Var:
		return found.Origin()
	}
	return object
}

// imports tells whether a package depends on another, directly or not.
func imports(from *types.Package, path string, seen map[*types.Package]bool) bool {
	if from == nil || seen[from] {
		return false
	}
	seen[from] = true
	for _, each := range from.Imports() {
		if each.Path() == path || imports(each, path, seen) {
			return true
		}
	}
	return false
}

func main() {
	root, _ := filepath.Abs(os.Args[1])
	files := token.NewFileSet()
	c := &checker{files, importer.Default(), map[string]string{}, map[string]*types.Package{}, map[string]bool{}, map[string]bool{}}
	modules := map[string]string{}
	filepath.WalkDir(root, func(path string, entry os.DirEntry, err error) error {
		name := entry.Name()
		if err != nil || !entry.IsDir() {
			return nil
		}
		if path != root && (name == "testdata" || name == "vendor" || strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		module, isNested := modules[filepath.Dir(path)]
		if isNested {
			module += "/" + name
		} else {
			module = "example.org/unnamed"
		}
		if text, err := os.ReadFile(filepath.Join(path, "go.mod")); err == nil {
			if match := modulePattern.FindSubmatch(text); match != nil {
				module = string(match[1])
			}
		}
		modules[path] = module
		c.homes[module] = path
		return nil
	})
	for module, directory := range c.homes {
		plain, internal, external := c.parse(directory)
		tested, _ := c.Import(module)
		if len(internal) > 0 {
			tested = c.check(module, append(plain, internal...))
		}
		if len(external) > 0 {
			// What external tests import is checked against the package with its internal tests.
			beside := *c
			beside.known = map[string]*types.Package{module: tested}
			for path, each := range c.known {
				if path != module && !imports(each, module, map[*types.Package]bool{}) {
					beside.known[path] = each
				}
			}
			beside.check(module+"_test", external)
		}
	}
	var lines []string
	printed := c.errors
	if len(os.Args) > 2 {
		printed = c.uses
	}
	for line := range printed {
		lines = append(lines, strings.ReplaceAll(line, "\n", " "))
	}
	sort.Strings(lines)
	for _, line := range lines {
		fmt.Println(line)
	}
}
