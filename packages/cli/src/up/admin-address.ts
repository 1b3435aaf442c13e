import { readFileSync } from 'node:fs';
import { delimiter, dirname, join, resolve } from 'node:path';

/** The file of a state directory with the token of the gateway's Admin API. */
export const adminTokenFile = 'admin-token';

/** The Admin API of a `waygate up`: where it is, and what it wants to hear. */
interface AdminAddress {
  readonly url: string;
  readonly token: string;
}

/**
 * The Admin API of the `waygate up` that wrote a kubeconfig: its port and its token lie beside it. So
 * whoever points a verb at the cluster of a laptop has pointed it at its gateway, too. Undefined when
 * the kubeconfig is of another cluster.
 */
export function adminBeside(
  kubeconfig: string | undefined,
  context: {
    readonly cwd: string;
    readonly env: Readonly<Record<string, string | undefined>>;
  },
): AdminAddress | undefined {
  const files =
    kubeconfig === undefined ? (context.env.KUBECONFIG ?? '').split(delimiter) : [kubeconfig];
  for (const file of files) {
    const found = file === '' ? undefined : addressIn(dirname(resolve(context.cwd, file)));
    if (found !== undefined) return found;
  }
  return undefined;
}

/**
 * Where a verb goes, and the token it may show there: one that was found is for the address it was
 * found with and for no other. `localhost` may lead elsewhere than 127.0.0.1, so it is not asked.
 */
export function chosenAdmin(
  wanted: string | undefined,
  beside: AdminAddress | undefined,
): { readonly url: string; readonly token?: string } {
  if (beside === undefined) return { url: wanted ?? defaultAdminUrl };
  if (wanted === undefined) return beside;
  const plain = wanted.replace(/\/$/, '');
  const isSame =
    plain === beside.url || plain.replace('//localhost:', '//127.0.0.1:') === beside.url;
  return isSame ? beside : { url: wanted };
}

/** Where decK looks for a Kong. */
const defaultAdminUrl = 'http://localhost:8001';

function addressIn(directory: string): AdminAddress | undefined {
  try {
    const token = readFileSync(join(directory, adminTokenFile), 'utf8').trim();
    const { admin }: { admin?: unknown } = JSON.parse(
      readFileSync(join(directory, 'ports.json'), 'utf8'),
    );
    if (token === '' || typeof admin !== 'number' || admin === 0) return undefined;
    return { url: `http://127.0.0.1:${admin}`, token };
  } catch {
    // No directory of ours, or none that we may read.
    return undefined;
  }
}
