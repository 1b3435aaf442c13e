import type { AdminClient } from '@waygate/kong';
import type { Finding } from './finding.ts';

const area = 'kong';

/** Is this Kong fit for the ingress controller: its version, its database and its router. */
export async function checkKong(
  client: AdminClient,
  url: string,
  signal: AbortSignal,
): Promise<Finding[]> {
  const { version, database, routerFlavor } = await client.info(signal);
  const major = Number.parseInt(version, 10);
  const findings: Finding[] = [
    major === 2 || major === 3
      ? { area, state: 'ok', message: `Kong ${version} at ${url}` }
      : {
          area,
          state: 'failed',
          message: `Kong ${version} at ${url}`,
          hint: 'Kong 2.x or 3.x is needed.',
        },
  ];
  if (database === 'off') {
    findings.push({
      area,
      state: 'ok',
      message: 'without a database: every change sends the whole configuration',
    });
  } else if (database !== undefined) {
    findings.push({ area, state: 'ok', message: `database ${database}: only changes are sent` });
  }
  if (routerFlavor !== undefined)
    findings.push({ area, state: 'ok', message: `router ${routerFlavor}` });
  return findings;
}
