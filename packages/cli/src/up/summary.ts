import type { CliContext } from '../context.ts';
import type { ProjectFile } from '../project/project-file.ts';
import type { StackAddresses } from './stack-options.ts';

/** What a person needs to know once everything runs: short, and each line can be copied. */
export function summary(
  addresses: StackAddresses,
  project: ProjectFile | undefined,
  env: CliContext['env'],
): string {
  const program = calledAs(env);
  const lines = [
    'Waygate is up.',
    '',
    `  Kubernetes API   ${addresses.apiUrl}`,
    `  Gateway          ${addresses.httpUrl}   ${addresses.httpsUrl}`,
    `  Admin API        ${addresses.adminUrl}   with the token in ${addresses.adminTokenFile}`,
    ...(addresses.dashboardUrl === undefined
      ? []
      : [`  Dashboard        ${addresses.dashboardUrl}   (opens once)`]),
    '',
    `  export KUBECONFIG=${addresses.kubeconfig}`,
    `  ${program} gateway dump         # finds the Admin API and its token beside the kubeconfig`,
    `  deck gateway dump --kong-addr ${addresses.adminUrl} --headers "Kong-Admin-Token:$(cat ${addresses.adminTokenFile})"`,
  ];
  if (project !== undefined) {
    lines.push(`  ${curlLine(addresses.httpUrl, project)}`);
    lines.push(`  ${program} trace ${addresses.httpUrl}${project.try.path}`);
  }
  return `${lines.join('\n')}\n`;
}

/**
 * How this program is called here. Under npm that is by `npx`, which must not look elsewhere for the name: whatever
 * somebody may have published under it is not this program.
 */
function calledAs(env: CliContext['env']): string {
  return env.npm_command === undefined ? 'waygate' : 'npx --no waygate';
}

function curlLine(httpUrl: string, project: ProjectFile): string {
  const headers = Object.entries(project.try.headers).map(
    ([name, value]) => `-H '${name}: ${value}' `,
  );
  return `curl ${headers.join('')}${httpUrl}${project.try.path}`;
}
