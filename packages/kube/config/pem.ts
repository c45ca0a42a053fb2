import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import type { CertificateAuthority, ClientCertificate, Pem } from "./cluster-config.ts";
import { ConfigError } from "./config-error.ts";
import { type Files, readNamedFile } from "./files.ts";

const certificateBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** A client certificate with its key, ready for a handshake. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/** The authorities that `ca` names, as PEM; checked, because a runtime that gets a broken one only says that it cannot connect. */
export function readAuthority(ca: CertificateAuthority, files: Files): string {
  const pem = read(ca, files, "name the cluster's CA certificate");
  parseCertificates(pem, ca);
  return pem;
}

/** The pair that `certificate` names; both parse and belong together. */
export function readKeyPair(certificate: ClientCertificate, files: Files): KeyPair {
  const cert = read(certificate.cert, files, "name the client certificate");
  const key = read(certificate.key, files, "name the client certificate's key");
  return checkKeyPair({ cert, key }, describe(certificate.cert), describe(certificate.key));
}

/** Checks that both are PEM and belong together; `certName` and `keyName` say in messages where they come from. */
export function checkKeyPair(pair: KeyPair, certName: string, keyName: string): KeyPair {
  const leaf = firstCertificate(pair.cert, certName);
  if (!leaf.checkPrivateKey(parseKey(pair.key, keyName))) {
    throw new ConfigError(`${keyName}: is not the key of the certificate in ${certName}; give the two files of one pair`);
  }
  return pair;
}

function read(pem: Pem, files: Files, remedy: string): string {
  return "pem" in pem ? pem.pem.reveal() : readNamedFile(files, pem.file, pem.field, remedy);
}

function describe(pem: Pem): string {
  return "pem" in pem ? pem.field : `${pem.field}: ${pem.file}`;
}

function parseCertificates(pem: string, from: Pem): void {
  const blocks = pem.match(certificateBlock);
  if (!blocks) throw noCertificate(describe(from));
  for (const block of blocks) parseCertificate(block, describe(from));
}

function firstCertificate(pem: string, name: string): X509Certificate {
  const [block] = pem.match(certificateBlock) ?? [];
  if (!block) throw noCertificate(name);
  return parseCertificate(block, name);
}

function noCertificate(name: string): ConfigError {
  return new ConfigError(`${name}: holds no certificate; it must be PEM text with "-----BEGIN CERTIFICATE-----"`);
}

function parseCertificate(block: string, name: string): X509Certificate {
  try {
    return new X509Certificate(block);
  } catch {
    throw new ConfigError(`${name}: the certificate cannot be parsed; it is damaged or was cut off`);
  }
}

function parseKey(pem: string, name: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new ConfigError(`${name}: holds no usable private key; it must be unencrypted PEM text with "-----BEGIN ... PRIVATE KEY-----"`);
  }
}
