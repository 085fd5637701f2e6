// Command chart renders the chart of a directory as Helm does, for the part of Helm that the chart uses.
//
//	chart DIR NAME NAMESPACE [VALUES...]
//
// It has Go's templates with Helm's objects (.Values, .Release, .Chart, .Files) and a few of its functions. A function that the
// chart uses and this does not have is an error, never another result.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"text/template"

	"sigs.k8s.io/yaml"
)

func main() {
	if len(os.Args) < 4 {
		fmt.Fprintln(os.Stderr, "usage: chart DIR NAME NAMESPACE [VALUES...]")
		os.Exit(64)
	}
	if err := render(os.Args[1], os.Args[2], os.Args[3], os.Args[4:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type files struct{ dir string }

// Get is the text of a file of the chart; empty where there is none, as in Helm.
func (f files) Get(name string) string {
	text, err := os.ReadFile(filepath.Join(f.dir, name))
	if err != nil {
		return ""
	}
	return string(text)
}

func render(dir, name, namespace string, overrides []string) error {
	values := map[string]any{}
	for _, path := range append([]string{filepath.Join(dir, "values.yaml")}, overrides...) {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		layer := map[string]any{}
		if err := yaml.UnmarshalStrict(text, &layer); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		merge(values, layer)
	}
	text, err := os.ReadFile(filepath.Join(dir, "Chart.yaml"))
	if err != nil {
		return err
	}
	about := map[string]any{}
	if err := yaml.Unmarshal(text, &about); err != nil {
		return err
	}
	data := map[string]any{
		"Values":  values,
		"Release": map[string]any{"Name": name, "Namespace": namespace, "Service": "kubectl"},
		"Chart":   map[string]any{"Name": about["name"], "Version": about["version"], "AppVersion": about["appVersion"]},
		"Files":   files{dir},
	}
	paths, err := filepath.Glob(filepath.Join(dir, "templates", "*"))
	if err != nil {
		return err
	}
	sort.Strings(paths)
	root := template.New("chart").Option("missingkey=zero")
	root.Funcs(functions(root))
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if _, err := root.New(filepath.Base(path)).Parse(string(text)); err != nil {
			return err
		}
	}
	var objects []object
	for _, path := range paths {
		if filepath.Ext(path) != ".yaml" {
			continue
		}
		var out bytes.Buffer
		if err := root.ExecuteTemplate(&out, filepath.Base(path), data); err != nil {
			return err
		}
		for _, text := range strings.Split("\n"+out.String(), "\n---\n") {
			one := object{text: strings.TrimSpace(text)}
			if err := yaml.Unmarshal([]byte(text), &one); err != nil {
				return fmt.Errorf("%s: %w", path, err)
			}
			if one.Kind != "" {
				objects = append(objects, one)
			}
		}
	}
	sort.SliceStable(objects, func(i, j int) bool { return order(objects[i]) < order(objects[j]) })
	for _, one := range objects {
		fmt.Printf("---\n%s\n", one.text)
	}
	return nil
}

type object struct {
	Kind string `json:"kind"`
	text string
}

// order is the order in which Helm installs, as far as it matters here.
func order(one object) int {
	kinds := []string{
		"Namespace", "ServiceAccount", "CustomResourceDefinition", "ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding",
		"ValidatingAdmissionPolicy", "ValidatingAdmissionPolicyBinding", "Deployment",
	}
	for place, kind := range kinds {
		if kind == one.Kind {
			return place
		}
	}
	return len(kinds)
}

// merge lays one set of values over another: maps are merged, everything else is replaced.
func merge(under, over map[string]any) {
	for key, value := range over {
		lower, isMap := under[key].(map[string]any)
		if upper, ok := value.(map[string]any); ok && isMap {
			merge(lower, upper)
			continue
		}
		under[key] = value
	}
}

func functions(root *template.Template) template.FuncMap {
	indent := func(spaces int, text string) string {
		margin := strings.Repeat(" ", spaces)
		return margin + strings.ReplaceAll(text, "\n", "\n"+margin)
	}
	return template.FuncMap{
		"include": func(name string, data any) (string, error) {
			var out bytes.Buffer
			err := root.ExecuteTemplate(&out, name, data)
			return out.String(), err
		},
		"toYaml": func(value any) (string, error) {
			text, err := yaml.Marshal(value)
			return strings.TrimSuffix(string(text), "\n"), err
		},
		"nindent":   func(spaces int, text string) string { return "\n" + indent(spaces, text) },
		"quote":     func(value any) string { return fmt.Sprintf("%q", fmt.Sprint(value)) },
		"fail":      func(message string) (string, error) { return "", fmt.Errorf("%s", message) },
		"list":      func(items ...any) []any { return items },
		"splitList": func(separator, text string) []string { return strings.Split(text, separator) },
		"first":     func(items []string) string { return items[0] },
		"last":      func(items []string) string { return items[len(items)-1] },
		"default": func(fallback, value any) any {
			if value == nil || value == "" {
				return fallback
			}
			return value
		},
		"int": func(value any) (int, error) {
			switch value := value.(type) {
			case float64:
				return int(value), nil
			case int:
				return value, nil
			}
			return 0, fmt.Errorf("%v is no number", value)
		},
		"has": func(wanted any, items []any) bool {
			for _, item := range items {
				if item == wanted {
					return true
				}
			}
			return false
		},
	}
}
