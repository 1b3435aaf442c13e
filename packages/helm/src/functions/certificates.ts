import { type KeyObject, X509Certificate } from 'node:crypto';
import { isCertificateAddress, pemText, readPem, signerOf } from '@waygate/text';
import type { Budget } from '../go/budget.ts';
import { type FunctionTable, fn, int, list, of, str } from '../go/define.ts';
import { sprint } from '../go/format.ts';
import { GoError } from '../go/function.ts';
import type { GoType } from '../go/type.ts';
import { GoObject, type GoValue, itemsOf } from '../go/value.ts';
import { bcryptHash } from './bcrypt.ts';
import { makeTemplateCertificate, type TemplateCertificate } from './certificate-maker.ts';
import { decodeBase64 } from './encodings.ts';
import type { FunctionOptions } from './function-options.ts';
import {
  type KeyKind,
  makeKey,
  parsePrivateKey,
  privateKeyPem,
  stepsOfKey,
} from './private-key.ts';

const certificateType: GoType = { name: 'sprig.certificate', kind: 'struct' };

const bcryptSteps = 450_000;
/** What a key of 1024 bits counts as where it is read or signs; eight times that with twice the bits. */
const signSteps = 5_000;

/** Keys, certificates and hashed passwords. */
export function certificateFunctions(options: FunctionOptions): FunctionTable {
  const maker = new CertificateFunctions(options);
  const certificate = of<GoObject>(certificateType);
  return {
    genPrivateKey: fn([str], ({ budget }, kind) => maker.privateKey(kind, budget)),
    genCA: fn([str, int], ({ budget }, name, days) =>
      maker.authority(name, days, maker.key('rsa-2048', budget)),
    ),
    genCAWithKey: fn([str, int, str], ({ budget }, name, days, key) =>
      maker.authority(name, days, maker.parse(key, budget)),
    ),
    genSelfSignedCert: fn([str, list, list, int], ({ budget }, name, addresses, names, days) =>
      maker.leaf(name, addresses, names, days, maker.key('rsa-2048', budget), undefined, budget),
    ),
    genSelfSignedCertWithKey: fn(
      [str, list, list, int, str],
      ({ budget }, name, addresses, names, days, key) =>
        maker.leaf(name, addresses, names, days, maker.parse(key, budget), undefined, budget),
    ),
    genSignedCert: fn(
      [str, list, list, int, certificate],
      ({ budget }, name, addresses, names, days, by) =>
        maker.leaf(name, addresses, names, days, maker.key('rsa-2048', budget), by, budget),
    ),
    genSignedCertWithKey: fn(
      [str, list, list, int, certificate, str],
      ({ budget }, name, addresses, names, days, by, key) =>
        maker.leaf(name, addresses, names, days, maker.parse(key, budget), by, budget),
    ),
    buildCustomCert: fn([str, str], ({ budget }, certificateText, key) =>
      customCertificate(certificateText, key, budget),
    ),
    bcrypt: fn([str], ({ budget }, password) => maker.hash(password, budget)),
    htpasswd: fn([str, str], ({ budget }, user, password) =>
      user.includes(':') ? `invalid username: ${user}` : `${user}:${maker.hash(password, budget)}`,
    ),
  };
}

class CertificateFunctions {
  readonly #options: FunctionOptions;

  constructor(options: FunctionOptions) {
    this.#options = options;
  }

  hash(password: string, budget: Budget): string {
    budget.step(bcryptSteps);
    return bcryptHash(password, this.#options.random(16));
  }

  key(kind: KeyKind, budget: Budget): KeyObject {
    budget.step(stepsOfKey[kind]);
    return (this.#options.makeKey ?? makeKey)(kind);
  }

  parse(pem: string, budget: Budget): KeyObject {
    try {
      return countedKey(pem, budget);
    } catch (error) {
      if (error instanceof GoError) throw new GoError(`parsing private key: ${error.message}`);
      throw error;
    }
  }

  privateKey(kind: string, budget: Budget): string {
    switch (kind) {
      case '':
      case 'rsa':
        return privateKeyPem(this.key('rsa-4096', budget));
      case 'dsa':
      case 'ecdsa':
      case 'ed25519':
        return privateKeyPem(this.key(kind, budget));
      default:
        return `Unknown type ${kind}`;
    }
  }

  authority(name: string, days: number, key: KeyObject): GoObject {
    const content = this.#content(name, [], [], days, key);
    return certificateObject(makeTemplateCertificate({ ...content, isAuthority: true }), key);
  }

  leaf(
    name: string,
    addresses: GoValue,
    names: GoValue,
    days: number,
    key: KeyObject,
    by: GoObject | undefined,
    budget: Budget,
  ): GoObject {
    const signer = by === undefined ? undefined : readSigner(by, budget);
    const content = this.#content(
      name,
      addressesOf(addresses, budget),
      namesOf(names, budget),
      days,
      key,
    );
    return certificateObject(makeTemplateCertificate(content, signer), key);
  }

  #content(
    commonName: string,
    addresses: readonly string[],
    names: readonly string[],
    days: number,
    key: KeyObject,
  ): TemplateCertificate {
    const { now, random } = this.#options;
    const to = new Date(now.getTime() + days * 86_400_000);
    if (Number.isNaN(to.getTime()))
      throw new GoError('error creating certificate: cannot represent time');
    const serial = BigInt(`0x${Buffer.from(random(16)).toString('hex')}`);
    return { commonName, addresses, names, from: now, to, isAuthority: false, serial, key };
  }
}

/** A key that was given, with what it takes to sign with it counted before that is done. */
function countedKey(pem: string, budget: Budget): KeyObject {
  budget.step(signSteps);
  const key = parsePrivateKey(pem);
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 1024;
  budget.step(Math.ceil(signSteps * (bits / 1024) ** 3));
  return key;
}

function certificateObject(der: Buffer, key: KeyObject): GoObject {
  return certificateOf(pemText('CERTIFICATE', der), privateKeyPem(key));
}

function certificateOf(certificate: string, key: string): GoObject {
  return new GoObject(certificateType, [
    { name: 'Cert', value: certificate, json: 'Cert' },
    { name: 'Key', value: key, json: 'Key' },
  ]);
}

function readSigner(by: GoObject, budget: Budget) {
  const block = readPem(String(by.field('Cert')?.value ?? ''));
  if (block === undefined) throw new GoError('unable to decode certificate');
  checkCertificate(block.der, 'decodedSignerCert.Bytes');
  let key: KeyObject;
  try {
    key = countedKey(String(by.field('Key')?.value ?? ''), budget);
  } catch (error) {
    if (error instanceof GoError) throw new GoError(`error parsing private key: ${error.message}`);
    throw error;
  }
  return signerOf(block.der, key);
}

function checkCertificate(der: Buffer, what: string): void {
  try {
    new X509Certificate(der);
  } catch {
    throw new GoError(`error parsing certificate: ${what}: x509: malformed certificate`);
  }
}

function addressesOf(value: GoValue, budget: Budget): string[] {
  return (itemsOf(value) ?? []).map((item) => {
    if (typeof item !== 'string')
      throw new GoError(`error parsing ip: ${sprint([item], budget)} is not a string`);
    if (!isCertificateAddress(item)) throw new GoError(`error parsing ip: ${item}`);
    return item;
  });
}

function namesOf(value: GoValue, budget: Budget): string[] {
  return (itemsOf(value) ?? []).map((item) => {
    if (typeof item === 'string') return item;
    throw new GoError(
      `error processing alternate dns name: ${sprint([item], budget)} is not a string`,
    );
  });
}

function customCertificate(certificateText: string, keyText: string, budget: Budget): GoObject {
  const certificate = decodeBase64(certificateText);
  if (typeof certificate === 'string') throw new GoError('unable to decode base64 certificate');
  const key = decodeBase64(keyText);
  if (typeof key === 'string') throw new GoError('unable to decode base64 private key');
  const pem = Buffer.from(certificate).toString();
  const block = readPem(pem);
  if (block === undefined) throw new GoError('unable to decode certificate');
  checkCertificate(block.der, 'decodedCert.Bytes');
  const keyPem = Buffer.from(key).toString();
  try {
    countedKey(keyPem, budget);
  } catch (error) {
    if (error instanceof GoError) throw new GoError(`error parsing private key: ${error.message}`);
    throw error;
  }
  return certificateOf(pem, keyPem);
}
