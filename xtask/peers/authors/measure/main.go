// Measures what an author writes with each peer. Run it in the module's directory:
//
//	go run ./measure              lines of status code and names to know
//	go run ./measure mistakes     which mistakes compile, and what the story of package scenario then shows; the name of a mistake
//	                              as another argument limits it to that one
package main

import (
	"bufio"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
)

// The peers and the packages that hold their authors' code.
var peers = []struct{ name, directory string }{
	{"Knative", "knative/v1"},
	{"operatorpkg", "operatorpkg"},
	{"Cluster API", "clusterapi"},
	{"openmcp", "openmcp"},
}

const module = "allready.dev/xtask/peers/authors"

func main() {
	measure := sizes
	if len(os.Args) > 1 && os.Args[1] == "mistakes" {
		measure = mistakes
	}
	if err := measure(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// sizes prints for each peer how many lines stand between the marks, and which names of others they use.
func sizes() error {
	for _, peer := range peers {
		path := filepath.Join(peer.directory, "reconcile.go")
		marked, lines, err := regions(path)
		if err != nil {
			return err
		}
		names, err := names(peer.directory, marked)
		if err != nil {
			return err
		}
		fmt.Printf("%s: %d lines, %d names\n  %s\n", peer.name, lines, len(names), strings.Join(names, "\n  "))
	}
	return nil
}

// regions returns which lines of a file stand between "// status: begin" and "// status: end", and how many of them are neither
// blank nor only a comment. Lines are as gofmt leaves them.
func regions(path string) (marked map[int]bool, lines int, err error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer file.Close()
	marked = map[int]bool{}
	inside := false
	scanner := bufio.NewScanner(file)
	for number := 1; scanner.Scan(); number++ {
		switch line := strings.TrimSpace(scanner.Text()); {
		case line == "// status: begin" && !inside:
			inside = true
		case line == "// status: end" && inside:
			inside = false
		case line == "// status: begin" || line == "// status: end":
			return nil, 0, fmt.Errorf("%s:%d: the marks do not alternate", path, number)
		case inside && line != "" && !strings.HasPrefix(line, "//"):
			marked[number] = true
			lines++
		}
	}
	if inside {
		return nil, 0, fmt.Errorf("%s: the last region has no end", path)
	}
	return marked, lines, scanner.Err()
}

// names returns the distinct names that marked lines use of modules other than this one and the standard library: functions, types,
// constants, methods and fields. A method that a library calls is a name to know as well, so exported methods declared there count.
func names(directory string, marked map[int]bool) ([]string, error) {
	loaded, err := packages.Load(&packages.Config{
		Mode: packages.NeedName | packages.NeedSyntax | packages.NeedTypes | packages.NeedTypesInfo | packages.NeedImports | packages.NeedDeps,
	}, "./"+directory)
	if err != nil {
		return nil, err
	}
	if packages.PrintErrors(loaded) > 0 {
		return nil, fmt.Errorf("%s does not compile", directory)
	}
	found := map[string]bool{}
	for _, file := range loaded[0].Syntax {
		if filepath.Base(loaded[0].Fset.Position(file.Pos()).Filename) != "reconcile.go" {
			continue
		}
		at := func(pos token.Pos) bool { return marked[loaded[0].Fset.Position(pos).Line] }
		ast.Inspect(file, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.Ident:
				if used := loaded[0].TypesInfo.Uses[node]; used != nil && at(node.Pos()) && foreign(used) {
					found[used.Pkg().Path()+"."+node.Name] = true
				}
			case *ast.FuncDecl:
				if node.Recv != nil && node.Name.IsExported() && at(node.Name.Pos()) {
					found["(implemented)."+node.Name.Name] = true
				}
			}
			return true
		})
	}
	var sorted []string
	for name := range found {
		sorted = append(sorted, name)
	}
	slices.Sort(sorted)
	return sorted, nil
}

// foreign is true for names of modules, which have a dot in the first part of their path, other than this one.
func foreign(used types.Object) bool {
	if _, isImport := used.(*types.PkgName); isImport || used.Pkg() == nil {
		return false
	}
	host, _, _ := strings.Cut(used.Pkg().Path(), "/")
	return strings.Contains(host, ".") && !strings.HasPrefix(used.Pkg().Path(), module)
}
