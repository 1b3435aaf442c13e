/** Charts and values that command lines are about, by their paths. */
export const stageFiles: Readonly<Record<string, string>> = {
  'web/Chart.yaml':
    'apiVersion: v2\nname: web\nversion: 1.2.3\nappVersion: "2.0"\ndescription: a web\nicon: https://example.com/i.png\n',
  'web/values.yaml': 'size: 1\nimage: {tag: "1"}\nlist: [a, b]\n',
  'web/README.md': '# Web\n',
  'web/crds/a.yaml':
    'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: a.b\n',
  'web/templates/NOTES.txt': 'thanks {{ .Release.Name }}\n',
  'web/templates/config.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {{ .Release.Name }}\n  namespace: {{ .Release.Namespace }}\ndata:\n  size: "{{ .Values.size }}"\n  tag: {{ .Values.image.tag | quote }}\n  kube: {{ .Capabilities.KubeVersion.Version }}\n  has: "{{ .Capabilities.APIVersions.Has "a/v1" }}"\n  list: {{ .Values.list | toJson | quote }}\n  up: "{{ .Release.IsUpgrade }}"\n',
  'web/templates/tests/t.yaml':
    'apiVersion: v1\nkind: Pod\nmetadata:\n  name: t\n  annotations:\n    helm.sh/hook: test\n',
  'bad/Chart.yaml': 'apiVersion: v2\nname: bad\nversion: one\n',
  'bad/templates/a.yaml': 'a: {{ .Values.a.b.c }}\n',
  'odd/Chart.yaml':
    'apiVersion: v2\nname: odd\nversion: 1.0.0\ndependencies:\n- {name: web, version: 1.0.0, condition: a.on,b.on}\n',
  'twice/Chart.yaml': 'apiVersion: v2\nname: odd\nversion: 1.0.0\nname: twice\n',
  'parent/Chart.yaml':
    'apiVersion: v2\nname: parent\nversion: 0.1.0\ndependencies:\n- {name: web, version: ">=1.0.0", repository: "file://../web", alias: front}\n- {name: web, version: 1.2.3, repository: "file://../web", condition: web.on}\n',
  'parent/values.yaml': 'web: {on: false}\nfront: {size: 5}\n',
  'remote/Chart.yaml':
    'apiVersion: v2\nname: remote\nversion: 0.1.0\ndependencies:\n- {name: web, version: ^1.0.0, repository: "REPO"}\n',
  'named/Chart.yaml':
    'apiVersion: v2\nname: named\nversion: 0.1.0\ndependencies:\n- {name: web, version: ^1.0.0, repository: "@nobody"}\n',
  'strict/Chart.yaml': 'apiVersion: v2\nname: strict\nversion: 0.1.0\n',
  'strict/values.yaml': 'size: 1\n',
  'strict/values.schema.json':
    '{"type":"object","properties":{"size":{"type":"integer","minimum":1}},"required":["size"]}',
  'strict/templates/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n',
  'more.yaml': 'size: 7\nimage:\n  tag: more\n',
  'list.yaml': '- a\n',
  'broken.yaml': 'a: [\n',
};

/** Command lines as people write them; REPO and OCI stand for a repository and a registry on loopback. */
export const commandLines: readonly string[] = `
template r web
template web
template r web --set size=3
template r web --set size=3,image.tag=x
template r web --set image={a,b}
template r web --set list[0]=z
template r web --set list[5]=z
template r web --set-string size=3
template r web --set-string size=true,image.tag=5
template r web --set-json list=[1,2]
template r web --set-json list=[
template r web --set-json {"size":4}
template r web --set-literal size=a,b
template r web --set-file size=web/README.md
template r web --set-file size=nope
template r web --values more.yaml
template r web -f more.yaml --set size=8
template r web -f more.yaml,more.yaml
template r web -f nope.yaml
template r web -f list.yaml
template r web -f broken.yaml
template r web --show-only templates/config.yaml
template r web -s templates/none.yaml
template r web -s templates/tests/t.yaml -s templates/config.yaml
template r web --include-crds
template r web --skip-crds
template r web --include-crds --skip-crds
template r web --skip-tests
template r web --no-hooks
template r web -a a/v1
template r web --api-versions a/v1,b/v1
template r web --api-versions a/v1 --api-versions b/v1
template r web --kube-version 1.30
template r web --kube-version v1.30.4+k3s1
template r web --kube-version bad
template r web --is-upgrade
template r web -n other
template r web --namespace=other
template r web --output-dir out
template r web --output-dir out --release-name
template r web --name-template x-{{.a}}
template web --name-template fixed
template r web --generate-name
template R_ web
template r bad
template r nope
template r ./nope
template r web --unknown
template r web -Z
template r web --set
template r web --set a[b]=1
template r web --set a
template r web --set =1
template r web --set image=null
template r web --set image=5
template r web --version 9.9.9
template r web --description x
template r web --dependency-update
template r web --skip-schema-validation
template r strict
template r strict --set size=0
template r strict --set size=x
template r strict --set size=x --skip-schema-validation
template r strict --set size=null
template
template a b c
template r parent
template r web web --repo REPO
template r web --repo REPO
template r web --repo REPO --version ^1.0.0
template r web --repo REPO --version 1.0.0
template r web --repo REPO --version >5
template r web --repo REPO --devel
template r nope --repo REPO
template r web --repo http://127.0.0.1:1
template r OCI/web --plain-http
template r OCI/web --plain-http --version 1.2.3
template r OCI/web --plain-http --version ^1
template r REPO/web-1.2.3.tgz
template r REPO/none-1.2.3.tgz
lint web
lint web --strict
lint bad
lint strict
lint strict --set size=x
lint parent --with-subcharts
lint parent
lint nope
lint web bad
lint web --quiet
lint bad --quiet
lint web --set size=2
lint web -f nope
lint web --kube-version 1.20
lint web --kube-version bad
lint web --unknown
lint strict --skip-schema-validation --set size=x
show chart web
show values web
show readme web
show readme strict
show crds web
show crds strict
show all web
show all strict
show values web --jsonpath {.size}
show values web --jsonpath {.image.tag}
show values web --jsonpath {.list[1]}
show values web --jsonpath {.list}
show values web --jsonpath {.
show values nope
show chart
show chart web extra
show chart web --unknown
show chart web --repo REPO
show chart web --repo REPO --version 1.0.0
show values web --repo REPO --devel
show chart nope --repo REPO
package web
template r web-1.2.3.tgz
lint web-1.2.3.tgz
show chart web-1.2.3.tgz
show values web-1.2.3.tgz --version ^1
package web --version 3.0.0
package web --app-version 9
package web --version bad
package web -d out2
package web strict
package bad
package nope
package
package web --sign
package web --unknown
package parent
pull
pull nope
pull nope/web
pull web --repo REPO
pull web --repo REPO --version 1.0.0
pull web --repo REPO --version ~1.2
pull web --repo REPO --version >5
pull web --repo REPO --devel
pull web --repo REPO --untar
pull web --repo REPO --untar
pull web --repo REPO --untar --untardir there
pull nope --repo REPO
pull web --repo REPO --verify
pull web --unknown
pull REPO/web-1.0.0.tgz
pull http://127.0.0.1:1/web-1.0.0.tgz
dependency list web
dependency list parent
dependency list remote
dependency list nope
dependency list parent --max-col-width 20
dependency build web
dependency build nope
dependency build named
dependency update parent
dependency list parent
dependency build parent
template r parent
lint parent --with-subcharts --strict
dependency update remote
dependency list remote
dependency build remote
dependency update named
dependency update nope
dependency update web --unknown
dependency build parent --skip-refresh
`
  .trim()
  .split('\n');
