import { createPrivateKey, X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";

/** Where a server's certificate, with those that signed it, and its private key are. */
export interface CertificateFiles {
  readonly certFile: string;
  readonly keyFile: string;
}

/** Their content, in PEM. */
export interface CertificatePair {
  readonly cert: string;
  readonly key: string;
}

export function readPair({ certFile, keyFile }: CertificateFiles): CertificatePair {
  return { cert: readFileSync(certFile, "utf8"), key: readFileSync(keyFile, "utf8") };
}

/** Throws unless both are what they should be and belong together: a certificate is often written before its key. Returns the certificate. */
export function checkPair({ cert, key }: CertificatePair): X509Certificate {
  const certificate = parsed("certificate", () => new X509Certificate(cert));
  const privateKey = parsed("private key", () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey)) throw new Error("the private key does not belong to the certificate");
  return certificate;
}

function parsed<T>(what: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    // The library's message may show what it has read.
    throw new Error(`there is no readable ${what} in PEM`, { cause: error });
  }
}
