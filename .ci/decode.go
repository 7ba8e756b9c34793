// Decodes the objects of YAML files as an API server does for `kubectl apply --validate=strict`, and fails for unknown fields and wrong types. The
// types are those of the installed packages: on Debian, `apt-get install golang-go golang-k8s-client-go-dev`, and then
// `GO111MODULE=off GOPATH=/usr/share/gocode go run .ci/decode.go docs/kubernetes*.yaml`.
package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
)

func main() {
	options := json.SerializerOptions{Yaml: true, Strict: true}
	decoder := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, options)
	decoded, others, failed := 0, 0, 0
	for _, name := range os.Args[1:] {
		content, err := os.ReadFile(name)
		if err != nil {
			panic(err)
		}
		reader := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(content)))
		for {
			document, err := reader.Read()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				panic(err)
			}
			_, kind, err := decoder.Decode(document, nil, nil)
			switch {
			case err == nil:
				decoded++
			case runtime.IsNotRegisteredError(err):
				others++
				fmt.Println(name, kind, "not a kind of Kubernetes itself")
			default:
				failed++
				fmt.Println(name, kind, err)
			}
		}
	}
	fmt.Println(decoded, "decoded,", others, "of other kinds,", failed, "failed")
	if failed > 0 {
		os.Exit(1)
	}
}
