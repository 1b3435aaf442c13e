import type { FlagKinds } from './flag-reader.ts';
import { idleSwitches, idleValueFlags } from './idle-flags.ts';

/** The flags that decide something here, with what they take and a word on each, for the help. */
export const meaningfulFlags: readonly (readonly [name: string, takes: string, what: string])[] = [
  ['advertise-address', 'ip', 'where the Service kubernetes finds this server'],
  ['anonymous-auth', '', 'let requests without credentials in as system:anonymous (default true)'],
  ['api-audiences', 'strings', 'whom service account tokens are for; the issuers if not set'],
  ['authorization-mode', 'strings', 'RBAC, Node, AlwaysAllow (default AlwaysAllow)'],
  ['bind-address', 'ip', 'the address to listen on (default 127.0.0.1)'],
  ['cert-dir', 'string', 'has apiserver.crt and apiserver.key, unless they are given by name'],
  ['client-ca-file', 'string', 'who may sign certificates of clients'],
  ['controllers', 'strings', "loops of kube-controller-manager to run, '*' for all (default none)"],
  ['disable-admission-plugins', 'strings', 'admission plugins that are off'],
  ['enable-admission-plugins', 'strings', 'admission plugins that are on'],
  ['help', '', 'print this'],
  ['secure-port', 'int', 'the port to listen on, 0 for a free one (default 6443)'],
  ['service-account-issuer', 'stringArray', 'in whose name service account tokens are signed'],
  ['service-account-key-file', 'stringArray', 'keys that check service account tokens'],
  ['service-account-signing-key-file', 'string', 'the key that signs service account tokens'],
  ['service-cluster-ip-range', 'string', 'the addresses of Services (default 10.0.0.0/24)'],
  ['service-node-port-range', 'portRange', 'the node ports of Services (default 30000-32767)'],
  ['tls-cert-file', 'string', 'the certificate to serve with'],
  ['tls-private-key-file', 'string', 'its key'],
  ['token-auth-file', 'string', 'tokens and their users: token,user,uid,"group1,group2"'],
  ['version', '', 'print the version'],
];

/** Every flag of kube-apiserver, and the one that is ours. */
export const apiServerFlagKinds: FlagKinds = {
  values: new Set([
    ...idleValueFlags,
    ...meaningfulFlags.filter(([, takes]) => takes !== '').map(([name]) => name),
  ]),
  switches: new Set([
    ...idleSwitches,
    ...meaningfulFlags.filter(([, takes]) => takes === '').map(([name]) => name),
  ]),
};
