import "reflect-metadata";
import { isIP } from "node:net";
import { BasicConstraintsExtension, PemConverter, SubjectAlternativeNameExtension, X509CertificateGenerator } from "@peculiar/x509";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const day = 24 * 60 * 60 * 1000;

export interface TestPair {
  readonly cert: string;
  readonly key: string;
}

/** An authority whose certificates may be as wrong as a test wants them. */
export interface TestAuthority {
  readonly pem: string;
  issue(commonName: string, options?: CertificateOptions): Promise<TestPair>;
}

export interface CertificateOptions {
  /** DNS names and IP addresses; an empty list leaves the extension out. Default: those of loopback. */
  readonly names?: readonly string[];
  /** Whether addresses among the names are written as DNS names. */
  readonly addressesAsDnsNames?: boolean;
  /** Ended yesterday, or begins tomorrow. */
  readonly validity?: "past" | "future";
}

export async function testAuthority(name = "test-ca"): Promise<TestAuthority> {
  const keys = await newKeys();
  const root = await X509CertificateGenerator.createSelfSigned({
    name: `CN=${name}`,
    notBefore: new Date(Date.now() - 10 * day),
    notAfter: new Date(Date.now() + 10 * day),
    signingAlgorithm: algorithm,
    keys,
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  });
  return {
    pem: `${root.toString("pem")}\n`,
    async issue(commonName, { names = ["localhost", "127.0.0.1", "::1"], addressesAsDnsNames = false, validity } = {}) {
      const own = await newKeys();
      const certificate = await X509CertificateGenerator.create({
        subject: `CN=${commonName}`,
        issuer: root.subject,
        notBefore: new Date(Date.now() + (validity === "future" ? day : -5 * day)),
        notAfter: new Date(Date.now() + (validity === "past" ? -day : 5 * day)),
        signingAlgorithm: algorithm,
        publicKey: own.publicKey,
        signingKey: keys.privateKey,
        extensions: names.length > 0 ? [alternativeNames(names, addressesAsDnsNames)] : [],
      });
      const pkcs8 = await crypto.subtle.exportKey("pkcs8", own.privateKey);
      return { cert: certificate.toString("pem"), key: PemConverter.encode(pkcs8, "PRIVATE KEY") };
    },
  };
}

const newKeys = () => crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);

function alternativeNames(names: readonly string[], dnsOnly: boolean): SubjectAlternativeNameExtension {
  return new SubjectAlternativeNameExtension(
    names.map((value) => ({ type: isIP(value) && !dnsOnly ? ("ip" as const) : ("dns" as const), value })),
  );
}
