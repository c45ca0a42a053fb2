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
 * that it cannot connect. So are all that a client certificate comes with.
 */
export function readAuthority(ca: CertificateAuthority, files: Files): string {
  return readCertificates(read(ca, files, "name the cluster's CA certificate"), describe(ca)).pem;
}

/** The certificate and key of `certificate`; both parse and belong together. */
export function readKeyPair(certificate: ClientCertificate, files: Files): KeyPair {
  const cert = read(certificate.cert, files, "name the client certificate");
  const key = read(certificate.key, files, "name the client certificate's key");
  return checkKeyPair({ cert, key }, describe(certificate.cert), describe(certificate.key));
}

/** Checks that both are PEM and that the key is that of the first certificate; `certName` and `keyName` name them in messages. */
export function checkKeyPair({ cert, key }: KeyPair, certName: string, keyName: string): KeyPair {
  const { first, pem } = readCertificates(cert, certName);
  if (!first.checkPrivateKey(parseKey(key, keyName))) {
    throw new ConfigError(`${keyName}: is not the key of the certificate in ${certName}; give the two files of one pair`);
  }
  return { cert: pem, key };
}

function read(pem: Pem, files: Files, remedy: string): string {
  return "pem" in pem ? pem.pem.reveal() : readNamedFile(files, pem.file, pem.field, remedy);
}

function describe(pem: Pem): string {
  return "pem" in pem ? pem.field : `${pem.field}: ${pem.file}`;
}

/** The certificates in a text, all of them checked, without what is between and after them. */
function readCertificates(text: string, name: string): { readonly first: X509Certificate; readonly pem: string } {
  const blocks = text.match(certificateBlock) ?? [];
  const [first] = blocks.map((block) => parseCertificate(block, name));
  if (!first) throw new ConfigError(`${name}: holds no certificate; it must be PEM text with "-----BEGIN CERTIFICATE-----"`);
  return { first, pem: `${blocks.join("\n")}\n` };
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
