// Pages of reference that are made from the built rooms: metrics and flags.

/** What a program exposes, as data: name, type, labels and what it means. */
export function metricsOf({ runtime, gitops, ingress }) {
  const common = runtime.prometheusMetrics();
  common.informer.observe?.('x', { lastEventAgeMs: () => 0, indexer: { list: () => [] } });
  const ofRuntime = listed(common.registry);
  const ofGitops = runtime.prometheusMetrics();
  new gitops.ReconcileMetrics(ofGitops);
  new gitops.NotificationMetrics(ofGitops);
  gitops.standingAsideGauge(ofGitops, [], () => false);
  const ofIngress = runtime.prometheusMetrics();
  new ingress.IngressMetrics(ofIngress.registry, 'deck', 'id');
  const known = new Set(ofRuntime.map(({ name }) => name));
  const fresh = (registry) => listed(registry).filter(({ name }) => !known.has(name));
  return {
    both: ofRuntime,
    gitops: fresh(ofGitops.registry),
    ingress: fresh(ofIngress.registry),
  };
}

function listed(registry) {
  return registry
    .getMetricsAsArray()
    .map(({ name, help, type, labelNames = [] }) => ({ name, help, type, labels: [...labelNames] }))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}

export function metricsPage(rooms) {
  const { both, gitops, ingress } = metricsOf(rooms);
  const table = (metrics) => [
    '| metric | type | labels | what it says |',
    '|---|---|---|---|',
    ...metrics.map(
      ({ name, type, labels, help }) =>
        `| \`${name}\` | ${type} | ${labels.map((one) => `\`${one}\``).join(', ')} | ${help.replace(/\.$/, '')} |`,
    ),
  ];
  return `${[
    '# Metrics',
    '',
    'Made from the code by `npm run docs`. Histograms have `_bucket` (with the label `le`), `_sum` and `_count`.',
    'Metrics of the process (`process_*`, `nodejs_*`) come from Node.js and are not listed. Those of the gateway',
    "itself are the ones of Kong's `prometheus` plugin. `deploy/monitoring` has dashboards and alert rules.",
    '',
    '## Every controller',
    '',
    ...table(both),
    '',
    '## GitOps: `--metrics-addr`',
    '',
    'Under the names that Flux gives them, where Flux has them.',
    '',
    ...table(gitops),
    '',
    '## Ingress: `--metrics-bind-address`',
    '',
    'Under the names that Kong Ingress Controller gives them.',
    '',
    ...table(ingress),
  ].join('\n')}\n`;
}

export function flagsPage({ gitops, ingress, runtime }) {
  const row = ({ name, type, default: value, summary, variable }) => {
    const shown = `${value}` === '' ? '' : `\`${value}\``;
    const dashes = name.length === 1 ? '-' : '--';
    return `| \`${dashes}${name}\` | ${variable === undefined ? '' : `\`${variable}\``} | ${type} | ${shown} | ${summary.replaceAll('|', '\\|')} |`;
  };
  const table = (flags) => [
    '| flag | variable | type | default | what it does |',
    '|---|---|---|---|---|',
    ...flags.map(row),
  ];
  const acting = (flags) =>
    flags.filter((one) => one.withoutEffect === undefined && one.replacedBy === undefined);
  const rest = [...gitops.gitOpsFlags, ...ingress.controllerFlags];
  const gates = (one) => [
    ...one.acting.map((name) => `| \`${name}\` | acts |`),
    ...Object.entries(one.withoutEffect).map(
      ([name, why]) => `| \`${name}\` | no effect: ${why} |`,
    ),
  ];
  const head = ['| flag | why |', '|---|---|'];
  return `${[
    '# Flags of `waygate controller`',
    '',
    'Made from the code by `npm run docs`. The command line is stronger than the environment. A boolean may be',
    'given as `--x`, `--x=true` and `--x=false`.',
    '',
    '## GitOps',
    '',
    ...table(acting(gitops.gitOpsFlags)),
    '',
    '## Ingress',
    '',
    ...table(acting(ingress.controllerFlags)),
    '',
    '## Traces',
    '',
    ...table(runtime.tracingFlags),
    '',
    '## Taken, and without effect',
    '',
    ...head,
    ...rest
      .filter(({ withoutEffect }) => withoutEffect !== undefined)
      .map(({ name, withoutEffect }) => `| \`--${name}\` | ${withoutEffect} |`),
    '',
    '## Older names',
    '',
    '| flag | now |',
    '|---|---|',
    ...rest
      .filter(({ replacedBy }) => replacedBy !== undefined)
      .map(({ name, replacedBy }) => `| \`--${name}\` | \`--${replacedBy}\` |`),
    '',
    '## Feature gates',
    '',
    '| gate | |',
    '|---|---|',
    ...gates(gitops.gitOpsGates),
    ...gates(ingress.controllerGates),
  ].join('\n')}\n`;
}

const supportWords = {
  yes: 'supported',
  partly: 'partly',
  'no effect': 'not needed',
  reported: 'reported',
};

/** Every annotation and ConfigMap key of ingress-nginx, and how much of it is done. */
export function ingressNginxPage({ ingress }) {
  const { annotationTable, settingsTable, nginxMetricTable } = ingress;
  const counts = (rows) =>
    Object.entries(supportWords)
      .map(([support, word]) => `${rows.filter((row) => row.support === support).length} ${word}`)
      .join(', ');
  const note = (text) => text.replaceAll('|', '\\|');
  const invalid = {
    drop: 'the Ingress is left out',
    deny: 'its paths answer 503',
    default: 'as if it were not there',
  };
  return `${[
    '# ingress-nginx: annotations, settings and metrics',
    '',
    'Made from the code by `npm run docs`. **Supported**: as ingress-nginx 1.15 does it. **Partly**: but for what is',
    'noted. **Not needed**: it says how nginx works inside, and changes no answer here. **Reported**: it is not done;',
    '`waygate migrate --from ingress-nginx` names each use of it, and what would let somebody in who should not is closed.',
    '',
    '## Annotations',
    '',
    `Below \`nginx.ingress.kubernetes.io/\`: ${counts(annotationTable)}.`,
    '',
    '| annotation | support | note | risk | a value that is not valid |',
    '|---|---|---|---|---|',
    ...annotationTable.map(
      (row) =>
        `| \`${row.name}\`${row.alias === undefined ? '' : ` (\`${row.alias}\`)`} | ${supportWords[row.support]} | ${note(row.note)} | ${row.risk} | ${invalid[row.invalid]} |`,
    ),
    '',
    '## Keys of the ConfigMap',
    '',
    `${counts(settingsTable)}.`,
    '',
    '| key | support | note | default |',
    '|---|---|---|---|',
    ...settingsTable.map(
      ({ key, support, note: text, fallback }) =>
        `| \`${key}\` | ${supportWords[support]} | ${note(text)} | ${fallback === '' ? '' : `\`${note(fallback)}\``} |`,
    ),
    '',
    '## Metrics',
    '',
    'With `--enable-metrics`, below `nginx_ingress_controller_`: those of requests on the gateway’s `/metrics` from the',
    'first request on, the others on the controller’s.',
    '',
    '| metric | where | note |',
    '|---|---|---|',
    ...nginxMetricTable.map(
      ({ name, where, note: text }) => `| \`${name}\` | ${where ?? 'not there'} | ${note(text)} |`,
    ),
  ].join('\n')}\n`;
}
