import type { ProjectFile } from './project-file.ts';
import type { StackAddresses } from './stack.ts';

/** What a person needs to know once everything runs: short, and each line can be copied. */
export function summary(addresses: StackAddresses, project: ProjectFile | undefined): string {
  const lines = [
    'Waygate is up.',
    '',
    `  Kubernetes API   ${addresses.apiUrl}`,
    `  Gateway          ${addresses.httpUrl}   ${addresses.httpsUrl}`,
    `  Admin API        ${addresses.adminUrl}`,
    '',
    `  export KUBECONFIG=${addresses.kubeconfig}`,
  ];
  if (project !== undefined) {
    const url = `${addresses.httpUrl}${project.try.path}`;
    lines.push(`  ${curlLine(addresses.httpUrl, project)}`);
    lines.push(`  npx waygate trace ${url} --kong-addr ${addresses.adminUrl}`);
  }
  return `${lines.join('\n')}\n`;
}

export function curlLine(httpUrl: string, project: ProjectFile): string {
  const headers = Object.entries(project.try.headers).map(
    ([name, value]) => `-H '${name}: ${value}' `,
  );
  return `curl ${headers.join('')}${httpUrl}${project.try.path}`;
}
