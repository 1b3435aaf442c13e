/** Command lines that few people write, and mistakes: flags on their own, files in the wrong place, missing addresses. */
export const rareCommandLines: readonly string[] = `
dep ls parent
inspect chart web
dep up web
fetch
template r web --validate
template r web --dry-run
template r web --dry-run=client
template r web --dry-run=server
template r web --dry-run=none
template r web --dry-run=bad
template r web --post-renderer-args x
template r web -f -
template r web -f REPO/values.yaml
template r web -f REPO/none.yaml
template r web -f ftp://x/y
template r web -f REPO/index.yaml
template r web --set-file size=REPO/values.yaml
template r web --set-file size=REPO/none.yaml
template r web --set-file size
template r web --set-file =x
template r web --set-json x
template r web --set-json size=
template r web --set-json a.b={"c":[1,{"d":null}]},size=3
template r web --set-json image={"tag":null}
template r web --set-json size=1e3
template r web --set-json size=12345678901234567890
template r web --set-json []
template r web --set-literal a
template r web --set-literal image.tag=a,b=c,{d}
template r web --set-string list={1,2,null}
template r web --set list={}
template r web --set list=
template r web --set image.tag=
template r web --set size=1.5
template r web --set size=0123
template r web --set size=1e3
template r web --set size=true
template r web --set size=9223372036854775808
template r web --set list[-1]=1
template r web --set list[99999]=1
template r web --set list[70000]=1
template r web --set list[0].a=1
template r web --set list[0][1]=1
template r web --set a.b.c=1,a.b=2
template r web --set size=1,
template r web --set ,size=1
template r web --set a={b,c
template r web --set a={b},c
template r web --set a={{b}}
template r web --set a[0
template r web --set a]=1
template r web --set a.=1
template r web --set .a=1
template r web --set a..b=1
template r web --api-versions
template r web -a v1/Foo --api-versions=a/v1
template r web --kube-version 1
template r web --kube-version 1.30.0-gke.1
template r web --kube-version v1
template r web --kube-version 1.30.1.2
template r web --kube-version=
template r web --is-upgrade --no-hooks
template r web --skip-tests --no-hooks
template r web --skip-tests --show-only templates/tests/t.yaml
template r web --no-hooks -s templates/tests/t.yaml
template r web -s templates/*.yaml
template r web -s templates/**
template r web -s templates/[
template r web -s templates
template r web -s templates/NOTES.txt
template r web -s crds/a.yaml --include-crds
template r web -s crds/a.yaml
template r web -s templates/config.yaml,templates/tests/t.yaml
template r web --include-crds -s templates/config.yaml
template r web --output-dir o2/deep
template r web --output-dir web/README.md
template r web --output-dir o3 --include-crds
template r web --output-dir o4 --no-hooks
template r web --output-dir o5 --skip-tests
template r web --output-dir o6 -s templates/config.yaml
template r web --output-dir o7 --release-name --include-crds
template web --release-name --output-dir o9
template web --release-name
template web --name-template {{"a"|upper}}
template web --name-template {{"a"|quote}}
template web --name-template {{
template web --name-template {{nope}}
template web --name-template a-{{randNumeric 0}}
template r web --name-template b
template web --generate-name --name-template b
template web -g
template r web --debug
template r bad --debug
template r strict --set size=x --debug
template r web --hide-notes
template r web --render-subchart-notes
template r web --wait
template r web --atomic
template r web --timeout 1s
template r web --timeout x
template r web --labels a=b
template r web --labels a
template r web --replace
template r web --force
template r web --create-namespace
template r web --enable-dns
template r web --disable-openapi-validation
template r web --take-ownership
template r web --server-side=false
template r web --rollback-on-failure
template r web -n ''
template -n other r web
template --set size=4 r web
template r -- web
template r web --no-hooks=false
template r web --no-hooks=maybe
template r web --include-crds=true --skip-tests=1
template r web --noh
template r web -nx
template r web -n=x
template r web -ax/v1
template r web --verify
template r REPO/web-1.2.3.tgz --verify
template r OCI/web --plain-http --verify
package web -u
package parent -u
package remote -u
package remote --dependency-update -d pk
package parent -u -d pk/deeper
package web --app-version 9 --version 1.2.4
package web --app-version ""
package web --version v2.0.0
package web --version 1.2
package web --version 2.0.0+build.1
package web -d web/README.md
package web/
package ./web
package web/Chart.yaml
package web-1.2.3.tgz
package web nope strict
package named -u
package web --sign --key x --keyring nope
package web --passphrase-file nope --sign --key x --keyring nope
lint
lint web/
lint web/Chart.yaml
lint web strict
lint web strict bad nope
lint bad --strict
lint web --strict --quiet
lint parent --quiet
lint parent --strict
lint parent --with-subcharts --quiet
lint strict --strict
lint web --with-subcharts
lint web --set size={
lint web --set-json x
lint web --kube-version 1
lint repository
lint odd
lint twice --strict
pull OCI/web --plain-http
template r OCI/web --plain-http
show chart OCI/web --plain-http
pull OCI/web --plain-http --version 1.0.0
pull OCI/web --plain-http --version ~1.0
pull OCI/web --plain-http --version >5
pull OCI/nope --plain-http
pull OCI/web --plain-http --devel
pull OCI/web:1.0.0 --plain-http
pull OCI/web:1.0.0 --plain-http --version 1.2.3
pull OCI/web --plain-http --untar
pull OCI/web --plain-http --untar --untardir oci-there
pull OCI/web --plain-http --untar --untardir deep/oci-there -d dd
pull OCI/web --plain-http -d missing
pull OCI/web --plain-http --verify
pull OCI/web --plain-http --prov
pull oci://
pull web --repo REPO -d missing2
pull web --repo REPO -d missing3/deep
pull web --repo REPO -d web/README.md
pull web --repo REPO --untar --untardir deep2/there
pull web --repo REPO --untar -d some
pull web --repo REPO --untar --untardir web/README.md
pull web --repo REPO --prov
pull web --repo REPO --verify --untar
pull web --repo REPO --version 1
pull web --repo REPO --version 1.x
pull web --repo REPO --version >=1.0.0,<1.2.0
pull web --repo REPO --version >=1.0.0||2
pull web --repo REPO --version 2.0.0-rc.1
pull web --repo REPO --version >=2.0.0-0
pull web --repo REPO --version nope
pull web --repo REPO --version ^2 --devel
pull web --repo REPO --version latest
pull web strict --repo REPO
pull web nope --repo REPO
pull REPO/web-1.0.0.tgz --untar
pull REPO/web-1.0.0.tgz REPO/web-1.2.3.tgz -d both
pull REPO/
pull REPO
pull web --repo REPO/sub
pull web --repo nope
pull web --repo ftp://x
pull web --repo REPO --username a
pull web --repo REPO --username a --password b
pull web --repo REPO --ca-file nope
pull web --repo REPO --cert-file nope --key-file nope
pull web --repo REPO --pass-credentials
pull ./web
pull web
dependency list
dependency build
dependency update
dependency list web-1.2.3.tgz
dependency list bad
dependency list remote --max-col-width 5
dependency list remote --max-col-width -1
dependency list remote --max-col-width x
dependency list a b
dependency update remote --skip-refresh
dependency update parent --skip-refresh
dependency build remote --skip-refresh
dependency update bad
dependency build bad
dependency update web
dependency update remote --verify
dependency update remote --devel
template r parent -u
template r remote --dependency-update
show all nope
show all web --devel
show all REPO/web-1.2.3.tgz
show crds REPO/web-1.2.3.tgz
show readme REPO/web-1.2.3.tgz
show all parent
show crds parent
show readme parent
show values parent
show values web --jsonpath {.nope}
show values web --jsonpath {.list[*]}
show values web --jsonpath {.list[9]}
show values web --jsonpath {}
show values web --jsonpath size
show values web --jsonpath {..tag}
show values web --jsonpath {.list[5]}
show values web --jsonpath {.list[0:1]}
show values web --jsonpath {range(.list[*])}
show values web --jsonpath {.list[a]}
show values web --jsonpath {..*}
show values web --jsonpath {.image}
show values strict --jsonpath {.size}{.size}
show values web --jsonpath {.image['tag']}
show values web --jsonpath {.list[?(@=="a")]}
template r web --post-renderer nope-program
template r web --validate --dry-run=client
`
  .trim()
  .split('\n');
