import { type Fields, listAt, numberAt, objectAt, setDefaults, textAt } from './fields.ts';

/** The defaults of a pod's spec, in a Pod and in every template. */
export function defaultPodSpec(spec: Fields): void {
  setDefaults(spec, {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    schedulerName: 'default-scheduler',
  });
  spec.securityContext ??= {};
  if (textAt(spec, 'serviceAccountName') !== '') spec.serviceAccount = spec.serviceAccountName;
  else if (textAt(spec, 'serviceAccount') !== '') spec.serviceAccountName = spec.serviceAccount;
  for (const kind of ['initContainers', 'containers', 'ephemeralContainers']) {
    for (const container of listAt(spec, kind)) defaultContainer(container);
  }
  for (const volume of listAt(spec, 'volumes')) defaultVolume(volume);
}

function defaultContainer(container: Fields): void {
  setDefaults(container, {
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
  });
  container.resources ??= {};
  if (textAt(container, 'imagePullPolicy') === '') {
    container.imagePullPolicy = pullPolicy(textAt(container, 'image'));
  }
  for (const port of listAt(container, 'ports')) setDefaults(port, { protocol: 'TCP' });
  for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
    if (container[probe] !== undefined) defaultProbe(objectAt(container, probe));
  }
  const lifecycle = objectAt(container, 'lifecycle');
  for (const hook of ['postStart', 'preStop'])
    defaultHttpGet(objectAt(objectAt(lifecycle, hook), 'httpGet'));
  for (const env of listAt(container, 'env')) {
    const reference = objectAt(objectAt(env, 'valueFrom'), 'fieldRef');
    if (Object.keys(reference).length > 0) setDefaults(reference, { apiVersion: 'v1' });
  }
}

/** What is filled in for a pod and left open in a template. */
export function defaultPod(spec: Fields): void {
  setDefaults(spec, { enableServiceLinks: true });
  for (const container of [...listAt(spec, 'containers'), ...listAt(spec, 'initContainers')]) {
    const resources = objectAt(container, 'resources');
    const limits = objectAt(resources, 'limits');
    if (Object.keys(limits).length > 0)
      resources.requests = { ...limits, ...objectAt(resources, 'requests') };
    if (spec.hostNetwork !== true) continue;
    for (const port of listAt(container, 'ports')) {
      if ((numberAt(port, 'hostPort') ?? 0) === 0) port.hostPort = port.containerPort;
    }
  }
}

const host = String.raw`(?:[a-zA-Z0-9](?:[a-zA-Z0-9.-]*[a-zA-Z0-9])?|\[[a-fA-F0-9:]+\])(?::[0-9]+)?`;
const step = `[a-z0-9]+(?:(?:[._]|__|-+)[a-z0-9]+)*`;
const image = new RegExp(
  String.raw`^(?:${host}/)?${step}(?:/${step})*(?::(?<tag>\w[\w.-]{0,127}))?(?<digest>@[A-Za-z][\w+.-]*:[0-9a-fA-F]{32,})?$`,
);

/** Only a moving tag has to be pulled each time; of what is no name of an image nothing is known. */
function pullPolicy(name: string): string {
  const { tag, digest } = image.exec(name)?.groups ?? { digest: '' };
  const isLatest = tag === undefined ? digest === undefined : tag === 'latest';
  return isLatest ? 'Always' : 'IfNotPresent';
}

function defaultProbe(probe: Fields): void {
  setDefaults(probe, {
    timeoutSeconds: 1,
    periodSeconds: 10,
    successThreshold: 1,
    failureThreshold: 3,
  });
  for (const field of ['timeoutSeconds', 'periodSeconds', 'successThreshold', 'failureThreshold']) {
    if (probe[field] === 0)
      probe[field] = {
        timeoutSeconds: 1,
        periodSeconds: 10,
        successThreshold: 1,
        failureThreshold: 3,
      }[field];
  }
  defaultHttpGet(objectAt(probe, 'httpGet'));
  const grpc = objectAt(probe, 'grpc');
  if (Object.keys(grpc).length > 0) grpc.service ??= '';
}

function defaultHttpGet(action: Fields): void {
  setDefaults(action, { path: '/', scheme: 'HTTP' });
}

const modes: Readonly<Record<string, number>> = {
  secret: 420,
  configMap: 420,
  projected: 420,
  downwardAPI: 420,
};

function defaultVolume(volume: Fields): void {
  const sources = Object.keys(volume).filter((field) => field !== 'name');
  if (sources.length === 0) volume.emptyDir = {};
  for (const [source, mode] of Object.entries(modes)) {
    if (volume[source] !== undefined) setDefaults(objectAt(volume, source), { defaultMode: mode });
  }
  const image = objectAt(volume, 'image');
  if (volume.image !== undefined && textAt(image, 'pullPolicy') === '')
    image.pullPolicy = pullPolicy(textAt(image, 'reference'));
  const host = objectAt(volume, 'hostPath');
  if (Object.keys(host).length > 0) host.type ??= '';
  for (const source of listAt(objectAt(volume, 'projected'), 'sources')) {
    const token = objectAt(source, 'serviceAccountToken');
    if (Object.keys(token).length > 0) setDefaults(token, { expirationSeconds: 3600 });
  }
  for (const source of [
    objectAt(volume, 'downwardAPI'),
    ...listAt(objectAt(volume, 'projected'), 'sources').map((each) =>
      objectAt(each, 'downwardAPI'),
    ),
  ]) {
    for (const item of listAt(source, 'items')) {
      const reference = objectAt(item, 'fieldRef');
      if (Object.keys(reference).length > 0) setDefaults(reference, { apiVersion: 'v1' });
    }
  }
}
