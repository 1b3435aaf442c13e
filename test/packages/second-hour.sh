#!/bin/sh
# The second hour at the desk, as somebody plays it who has installed the package and nothing else: with node,
# git, kubectl and curl, in an empty directory. Prints each step, and ends with 1 at the first that is not so.
set -eu

PATH="$PWD/node_modules/.bin:$PATH"
mkdir shop && cd shop
log=$PWD/../up.log
up=

step() { echo "== $*"; }
fail() { echo "not so: $*" >&2; exit 1; }
ended() {
  code=$?
  [ "$code" -eq 0 ] || { echo '-- what up said:'; cat "$log"; } >&2
  [ -z "$up" ] || kill "$up" 2>/dev/null || true
}
trap ended EXIT

# Tries a command until it says something, for a minute.
until_says() {
  wanted=$1
  shift
  for _ in $(seq 600); do
    case $("$@" 2>&1 || true) in *"$wanted"*) return 0 ;; esac
    sleep 0.1
  done
  fail "\"$*\" says \"$wanted\""
}
says() { until_says "$@"; }
up_says() { until_says "$1" cat "$log"; }
answers() { until_says "$2" curl -s -m 5 "$gateway$1"; }
# As many editors save: another file takes the place of the old one.
change() { sed "$1" app.yaml >app.new && mv app.new app.yaml; }
kubectl_here() { KUBECONFIG=$kubeconfig kubectl "$@"; }

cat >app.yaml <<'END'
apiVersion: v1
kind: ConfigMap
metadata: { name: settings }
data: { GREETING: hello }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
        - name: web
          image: example.com/web
          envFrom: [{ configMapRef: { name: settings } }]
          ports: [{ containerPort: 8080, name: http }]
---
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ port: 80, targetPort: http }] }
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata: { name: web }
spec:
  ingressClassName: kong
  rules:
    - http:
        paths:
          - { path: /, pathType: Prefix, backend: { service: { name: web, port: { number: 80 } } } }
END
cat >server.mjs <<'END'
import { createServer } from 'node:http';
createServer((request, response) => {
  console.log('asked for', request.url);
  response.end(`${process.env.GREETING}\n`);
}).listen(process.env.PORT, '127.0.0.1', () => console.log('listening'));
END

step init
waygate init | grep -q 'waygate.yaml: web\.' || fail 'init proposes something for web'
git init -q -b main . && git config user.name desk && git config user.email desk@localhost
git add . && git commit -qm 'A shop'

step up
waygate up >"$log" 2>&1 &
up=$!
up_says 'following commits of branch main'
gateway=$(sed -n 's/^ *Gateway *\(http:[^ ]*\).*/\1/p' "$log")
kubeconfig=$(sed -n 's/^ *export KUBECONFIG=//p' "$log")
answers /echo '"url": "/echo"'

step 'save: a program takes the place of the stub'
printf 'services:\n  web: { start: [node, server.mjs] }\n' >waygate.yaml
answers / hello
kubectl_here rollout status deployment/web --timeout=60s | grep -q 'successfully rolled out'
says 'asked for /' kubectl_here logs deployment/web

step 'preview, commit'
change 's/hello/moin/'
waygate preview . 2>/dev/null | grep -q 'GREETING: moin' || fail 'preview shows what a commit would change'
answers / hello
git commit -qam 'Greet in the north' && answers / moin

step break
change 's/^kind: Service$/kind: Servise/' && git commit -qam 'A slip'
up_says 'problem: Kustomization waygate-system/project: Servise/web dry-run failed'
says 'the server knows no kind Servise' waygate problems
answers / moin

step mend
git revert --no-edit HEAD >/dev/null
up_says 'solved: Kustomization waygate-system/project'
answers / moin

step 'trace, logs'
waygate trace "$gateway/" 2>/dev/null >trace.txt || fail 'trace finds a route'
grep -q 'Ingress default/web  *app.yaml:' trace.txt || fail "trace names the file: $(cat trace.txt)"
grep -q "$(git rev-parse HEAD)" trace.txt || fail "trace names the commit: $(cat trace.txt)"
waygate logs --tail 50 2>/dev/null | grep -q 'configuration' || fail 'logs says what the controllers did'

step 'another branch'
git checkout -qb south && change 's/moin/servus/' && git commit -qam 'Greet in the south'
up_says 'following commits of branch south'
answers / servus
git checkout -q main && answers / moin

step 'status, down'
waygate status | grep -q 'following commits of branch main' || fail 'status says what is followed'
waygate down | grep -q 'Ended waygate up' || fail 'down ends it'
wait "$up" || fail "up ends well: $?"
up=
waygate status >/dev/null && fail 'status knows that nothing runs' || true
curl -s -m 5 "$gateway/" >/dev/null && fail 'nothing listens any more' || true
step done
