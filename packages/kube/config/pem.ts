import { createPrivateKey, type KeyObject, X509Certificate } from "node:crypto";
import type { CertificateAuthority, ClientCertificate, Pem } from "./cluster-config.ts";
import { ConfigError } from "./config-fields.ts";
import { type Files, readNamedFile } from "./files.ts";

const certificateBlock = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** A client certificate with its key, ready for a handshake. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

/**
 * The certificates of `ca` as PEM without anything between them. They are checked, because a runtime with a broken one only reports
 * that it cannot connect.
 */
export function readAuthority(ca: CertificateAuthority, files: Files): string {
  const blocks = certificatesIn(read(ca, files, "name the cluster's CA certificate"), describe(ca));
  for (const block of blocks) parseCertificate(block, describe(ca));
  return `${blocks.join("\n")}\n`;
}

/** The certificate and key of `certificate`; both parse and belong together. */
export function readKeyPair(certificate: ClientCertificate, files: Files): KeyPair {
  const cert = read(certificate.cert, files, "name the client certificate");
  const key = read(certificate.key, files, "name the client certificate's key");
  return checkKeyPair({ cert, key }, describe(certificate.cert), describe(certificate.key));
}

/** Checks that both are PEM and belong together; `certName` and `keyName` name them in messages. */
export function checkKeyPair(pair: KeyPair, certName: string, keyName: string): KeyPair {
  const [block] = certificatesIn(pair.cert, certName);
  const leaf = parseCertificate(block, certName);
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

function certificatesIn(pem: string, name: string): readonly [string, ...string[]] {
  const [first, ...others] = pem.match(certificateBlock) ?? [];
  if (first === undefined) {
    throw new ConfigError(`${name}: holds no certificate; it must be PEM text with "-----BEGIN CERTIFICATE-----"`);
  }
  return [first, ...others];
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
