// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are what flux puts variables into

/** One command line, as a person or a pipeline types it after `flux`. */
export interface FluxLine {
  readonly words: string;
  readonly stdin?: string;
}

/** Files that lines refer to, in the directory in which they run. */
export const fluxFiles: Readonly<Record<string, string>> = {
  'values-a.yaml': 'replicas: 1\nimage:\n  tag: v1\n',
  'values-b.yaml': 'replicas: 2\n',
  'ca.crt': 'CERTIFICATE\n',
  'tls.crt': 'CERTIFICATE\n',
  'tls.key': 'KEY\n',
  'key.pem': 'KEY\n',
  'app/kustomization.yaml': 'resources: [settings.yaml, made.yaml]\n',
  'app/settings.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: settings\n  namespace: apps\ndata:\n  domain: ${domain}\n  region: ${region}\n  colour: ${colour:=red}\n',
  'app/made.yaml':
    'apiVersion: v1\nkind: Secret\nmetadata:\n  name: made\n  namespace: apps\nstringData:\n  password: s3cret\n',
  'ks.yaml':
    'apiVersion: kustomize.toolkit.fluxcd.io/v1\nkind: Kustomization\nmetadata:\n  name: shop\n  namespace: apps\nspec:\n  interval: 10m\n  path: ./app\n  prune: true\n  sourceRef:\n    kind: GitRepository\n    name: flux-system\n  postBuild:\n    substitute:\n      domain: local.example\n',
};

const exported = `source git made --url=https://git.example/a
source git made --url=https://git.example/a --branch=main --interval=90s
source git made --url=https://git.example/a --tag=v1 --namespace=apps
source git made --url=https://git.example/a --tag-semver=>=1.0.0 --label=team=shop --label=tier=web
source git made --url=https://git.example/a --commit=5394cb7f48332b2de7c17dd8b8384bbc84b7e738
source git made --url=https://git.example/a --ref-name=refs/heads/main
source git made --url=https://git.example/a --branch=main --commit=abc --recurse-submodules
source git made --url=ssh://git@git.example/a --branch=main --secret-ref=login
source git made --url=https://git.example/a --branch=main --ignore-paths=docs/,*.md
source git made --url=https://git.example/a --branch=main --provider=azure
source git made --url=https://git.example/a --branch=main --provider=generic --proxy-secret-ref=p
source git made --url=https://git.example/a --branch=main --sparse-checkout-paths=a,b
source git made --url=https://git.example/a --branch=main --service-account-name=sa --provider=azure
source oci made --url=oci://registry.example/a --tag=1.0
source oci made --url=oci://registry.example/a --digest=sha256:d52bde83c5b2bd0fa7910264e0afc3ac9cfe9b6636ca29c05c09742f01d5a4bd
source oci made --url=oci://registry.example/a --tag-semver=6.x --semver-filter=.*-rc.*
source oci made --url=oci://registry.example/a --tag=1 --secret-ref=s --cert-secret-ref=c --proxy-secret-ref=p --service-account=sa
source oci made --url=oci://registry.example/a --tag=1 --insecure --provider=aws --ignore-paths=a
source oci made --url=oci://registry.example/a --tag=1 --verify-provider=cosign --verify-secret-ref=v
source oci made --url=oci://registry.example/a --tag=1 --verify-provider=cosign --verify-issuer=i --verify-subject=s
source oci made --url=oci://registry.example/a --tag=1 --layer-selector=application/x:copy
source bucket made --bucket-name=b --endpoint=s3.example
source bucket made --bucket-name=b --endpoint=s3.example --region=eu --insecure --provider=aws --secret-ref=s
source bucket made --bucket-name=b --endpoint=s3.example --access-key=a --secret-key=b
source bucket made --bucket-name=b --endpoint=s3.example --ignore-paths=x,y --proxy-secret-ref=p --interval=2h
source helm made --url=https://charts.example
source helm made --url=oci://registry.example/charts
source helm made --url=https://charts.example --secret-ref=s --pass-credentials --oci-provider=aws --interval=1h5m
source helm made --url=https://charts.example --cert-secret-ref=c
source helm made --url=oci://registry.example/charts --oci-provider=gcp
source chart made --source=HelmRepository/charts --chart=web
source chart made --source=HelmRepository/charts --chart=web --chart-version=1.x --interval=30s
source chart made --source=GitRepository/flux-system --chart=./charts/web --reconcile-strategy=Revision
source chart made --source=HelmRepository/charts --chart=web --verify-provider=cosign --verify-issuer=i --verify-subject=s
kustomization made --source=GitRepository/flux-system --path=./apps --prune=true
kustomization made --source=flux-system --path=apps --interval=5m
kustomization made --source=GitRepository/flux-system.other --path=./apps --prune
kustomization made --source=OCIRepository/manifests --prune=true --wait=true --health-check-timeout=2m
kustomization made --source=Bucket/files --health-check=Deployment/web.apps --health-check=StatefulSet/db.apps --timeout=1m
kustomization made --source=GitRepository/f --depends-on=b --depends-on=other/c --target-namespace=apps
kustomization made --source=GitRepository/f --service-account=sa --decryption-provider=sops --decryption-secret=keys
kustomization made --source=GitRepository/f --kubeconfig-secret-ref=kc --retry-interval=2m --validation=client
kustomization made --source=GitRepository/f --label=a=b
kustomization made --source=ExternalArtifact/f
ks made --source=GitRepository/f --namespace=apps
helmrelease made --source=HelmRepository/charts --chart=web
helmrelease made --source=HelmRepository/charts.other --chart=web --chart-version=1.x --values=values-a.yaml --values=values-b.yaml
helmrelease made --chart-ref=HelmChart/web.apps
helmrelease made --chart-ref=OCIRepository/web --target-namespace=apps --create-target-namespace --storage-namespace=apps
helmrelease made --source=GitRepository/f --chart=./web --reconcile-strategy=Revision --release-name=r --depends-on=b,c/d
helmrelease made --source=HelmRepository/c --chart=web --values-from=ConfigMap/x --values-from=Secret/y
helmrelease made --source=HelmRepository/c --chart=web --crds=CreateReplace --service-account=sa --kubeconfig-secret-ref=kc --timeout=3m
helmrelease made --source=HelmRepository/c --chart=web --chart-interval=1h
hr made --source=Bucket/f --chart=web
alert made --provider-ref=chat --event-source=Kustomization/shop
alert made --provider-ref=chat --event-source=Kustomization/* --event-severity=error
alert made --provider-ref=chat --event-source=GitRepository/a.apps --event-source=HelmRelease/b
alert-provider made --type=slack --channel=general --address=https://hooks.example --secret-ref=s
alert-provider made --type=github --address=https://github.com/a/b --username=me
receiver made --type=github --event=ping,push --secret-ref=s --resource=GitRepository/a --resource=HelmRepository/b
receiver made --type=generic --secret-ref=s --resource=GitRepository/a
secret git made --url=https://git.example/a --username=me --password=pw
secret git made --url=https://git.example/a --username=me --password=pw --ca-crt-file=ca.crt
secret git made --url=https://git.example/a --bearer-token=t
secret git made --url=https://git.example/a --username=me --password=pw --label=a=b --namespace=apps
secret helm made --username=me --password=pw
secret helm made --username=me --password=pw --namespace=apps
secret tls made --tls-crt-file=tls.crt --tls-key-file=tls.key
secret tls made --ca-crt-file=ca.crt
secret oci made --url=registry.example --username=me --password=pw
secret oci made --url=ghcr.io --username=me --password=pw --namespace=apps
secret proxy made --address=https://proxy.example --username=me --password=pw
secret proxy made --address=https://proxy.example
secret notation made --ca-cert-file=ca.crt --trust-policy-file=values-a.yaml
secret githubapp made --app-id=1 --app-installation-id=2 --app-private-key=key.pem
secret githubapp made --app-id=1 --app-installation-owner=me --app-private-key=key.pem --app-base-url=https://gh.example/api/v3
secret receiver made --type=github --token=t --hostname=flux.example
secret receiver made --type=generic --token=t --hostname=flux.example --namespace=apps
tenant made --with-namespace=a
tenant made --with-namespace=a --with-namespace=b --cluster-role=admin
tenant made --with-namespace=a --with-service-account=sa --skip-namespace`;

const looks = `get all
get all -A
get all -n apps
get all -A --status-selector ready=false
get all -A --status-selector=ready=true
get all -n apps --no-header
get ks
get ks -A
get kustomizations -n apps
get kustomization shop -n apps
get ks shop -n apps --no-header
get ks none -n apps
get ks -n empty
get ks -n apps --status-selector ready=false
get ks -n apps --show-source
get ks -A --show-source
get ks -n apps -l team=shop
get ks -n apps --label-selector=team=shop
get hr
get hr -n apps
get hr -n apps --show-source
get helmreleases -A
get sources all
get sources all -A
get sources all -n apps
get sources all -n empty
get sources git
get sources git -n apps
get source git broken -n apps
get sources git -A --status-selector ready=false
get sources oci -n apps
get sources bucket -n apps
get sources helm -n apps
get sources chart -n apps
get sources external -n apps
get alerts -n apps
get alert-providers -n apps
get receivers -n apps
tree ks flux-system
tree ks flux-system --compact
tree ks flux-system -o yaml
tree ks flux-system -o json
tree kustomization shop -n apps
tree ks shop -n apps --compact
tree ks base -n apps
tree ks none -n apps
trace web --kind=Deployment --api-version=apps/v1 -n apps
trace deployment web -n apps
trace deployment/web -n apps
trace service web -n apps
trace configmap settings -n apps
trace kustomization shop -n apps
trace deployment released -n apps
trace deployment stranger -n apps
trace deployment none -n apps
trace helmrelease web -n apps
export source git --all
export source git flux-system
export source git --all -n apps
export source git resting -n apps
export source git resting -n apps --with-credentials
export source oci manifests -n apps
export source bucket files -n apps
export source helm --all -n apps
export source helm registry -n apps
export source chart apps-web -n apps
export ks --all
export kustomization shop -n apps
export ks --all -n apps
export hr web -n apps
export helmrelease --all -n apps
export alert all -n apps
export alert-provider chat -n apps
export receiver push -n apps
export ks none -n apps
export ks
export source git --all -n empty
debug ks shop -n apps --show-vars
debug ks shop -n apps --show-status
debug kustomization base -n apps --show-vars
debug ks none -n apps --show-vars
debug ks shop -n apps
debug hr web -n apps --show-values
debug hr web -n apps --show-status
debug hr web -n apps --show-history
debug helmrelease none -n apps --show-values
stats
stats -A
stats -n apps
build ks shop --path=app --kustomization-file=ks.yaml --dry-run
build ks shop --path=app -n apps
build ks shop --path=app -n apps --strict-substitute
build kustomization shop --path=none -n apps
build ks none --path=app -n apps
diff ks shop --path=app -n apps
diff kustomization shop --path=app --kustomization-file=ks.yaml -n apps
diff ks none --path=app -n apps
diff ks shop --path=none -n apps
events -n apps
events -A
events --for Kustomization/shop -n apps
version --client
version --client -o json
version --client -o yaml
check --pre
completion bash --help
trigger receiver push -n apps --help`;

const changes = `suspend ks shop -n apps
suspend kustomization base -n apps
suspend ks --all -n apps
suspend ks none -n apps
suspend ks
suspend ks --all -n empty
suspend source git broken -n apps
suspend source git --all -n apps
suspend source oci manifests -n apps
suspend source bucket files -n apps
suspend source helm charts -n apps
suspend source chart apps-web -n apps
suspend hr web -n apps
suspend alert all -n apps
suspend receiver push -n apps
suspend ks shop base -n apps
resume ks shop -n apps --timeout=1s
resume ks none -n apps
resume ks
resume ks --all -n empty
resume ks base -n apps --wait=false --timeout=1s
resume source git resting -n apps --timeout=1s
resume alert all -n apps
resume receiver push -n apps --timeout=1s
reconcile ks base -n apps
reconcile ks none -n apps
reconcile ks
reconcile source git resting -n apps
reconcile source git none -n apps
reconcile source git broken -n apps --timeout=1s
reconcile ks shop -n apps --timeout=1s
reconcile ks shop -n apps --with-source --timeout=1s
reconcile hr web -n apps --timeout=1s
reconcile source helm registry -n apps --timeout=1s
reconcile receiver push -n apps --timeout=1s
delete ks base -n apps --silent
delete ks none -n apps --silent
delete ks
delete source git resting -n apps --silent
delete source git resting -n apps -s
delete source oci manifests -n apps --silent
delete source bucket files -n apps --silent
delete source helm charts -n apps --silent
delete source chart apps-web -n apps --silent
delete hr web -n apps --silent
delete alert all -n apps --silent
delete alert-provider chat -n apps --silent
delete receiver push -n apps --silent
create secret helm made -n apps --username=me --password=pw
create secret git made -n apps --url=https://git.example/a --username=me --password=pw
create tenant made --with-namespace=made
create alert-provider made -n apps --type=slack --channel=general --timeout=1s
create source git made -n apps --url=https://git.example/a --branch=main --timeout=1s --silent
create ks made -n apps --source=GitRepository/broken --path=./ --timeout=1s`;

const wrong = `create source git made
create source git
create source git made --url=ftp://git.example/a
create source git made --url=https://git.example/a --interval=fast --export
create source git A_b --url=https://git.example/a --export
create source git made --url=https://git.example/a --nope
create source oci made
create source bucket made
create source helm made
create source nope made
create kustomization made --export
create kustomization made --source=Nope/x --export
create ks made --source=GitRepository/x --decryption-provider=nope --export
create ks made --source=GitRepository/x --health-check=web --export
create helmrelease made --export
create helmrelease made --source=HelmRepository/c --export
create hr made --source=HelmRepository/c --chart=web --chart-ref=HelmChart/x --export
create hr made --source=HelmRepository/c --chart=web --values=none.yaml --export
create hr made --source=HelmRepository/c --chart=web --crds=Nope --export
create alert made --export
create alert made --provider-ref=p --export
create alert-provider made --export
create receiver made --export
create receiver made --type=github --export
create secret git made --export
create secret git made --url=https://git.example --export
create secret tls made --export
create secret tls made --tls-crt-file=none.crt --tls-key-file=none.key --export
create secret proxy made --export
create secret oci made --export
create secret githubapp made --export
create secret notation made --export
create tenant made
get nope
get sources nope
get ks --status-selector=nope
get ks --nope
tree ks
trace
debug ks
debug ks shop -n apps --show-vars --show-status
export source git
export source
envsubst --nope
build ks shop -n apps
diff ks shop -n apps
delete source
nope`;

const accessed = `get ks -n apps --context=none
get ks -n apps --kubeconfig=none
get ks -n apps --as=nobody
get ks -n apps --token=wrong
get ks -n apps --timeout=10s
get ks -n apps --verbose
get ks -n apps --user=admin
get ks -n apps --cluster=none
get ks -n apps --tls-server-name=localhost
get ks -n apps --kube-api-qps=10 --kube-api-burst=20
get ks -n apps --request-timeout=5s
get ks -n apps --disable-compression --cache-dir=.cache
get ks -n apps --insecure-skip-tls-verify
get ks -n apps --server=http://127.0.0.1:9
get ks -n apps --as=admin --as-group=system:masters
get ks -n apps --as-uid=5 --as=nobody
get ks -n apps --timeout=nope
get ks --ns-follows-kube-context`;

// The texts have placeholders of their own, which is what they are for.
const substituted: readonly FluxLine[] = [
  { words: 'envsubst', stdin: 'a: ${HOME_OF_NOBODY:=x}\nb: $${KEPT}\n' },
  { words: 'envsubst', stdin: 'a: ${COLOUR}\n' },
  { words: 'envsubst --strict', stdin: 'a: ${NOT_THERE}\n' },
  { words: 'envsubst --strict', stdin: 'a: ${COLOUR^^} ${COLOUR/e/E} ${#COLOUR}\n' },
  { words: 'envsubst', stdin: 'a: ${COLOUR\n' },
];

function lines(text: string, before = '', after = ''): FluxLine[] {
  return text.split('\n').map((words) => ({ words: `${before}${words}${after}` }));
}

/** Every line, in the order in which they run: those that change come after those that look. */
export const fluxLines: readonly FluxLine[] = [
  ...lines(exported, 'create ', ' --export'),
  ...lines(looks),
  ...substituted,
  ...lines(wrong),
  ...lines(accessed),
  ...lines(changes),
];
