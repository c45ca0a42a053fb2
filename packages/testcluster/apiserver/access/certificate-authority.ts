import "reflect-metadata";
import {
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type JsonName,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
const day = 24 * 60 * 60 * 1000;

/** A certificate and the private key that belongs to it. */
export interface CertificatePair {
  readonly certPem: string;
  readonly keyPem: string;
}

/** Signs the certificates of one cluster: the server's own and those of its clients. */
interface CertificateAuthority extends CertificatePair {
  /** For a server on loopback. */
  issueServer(): Promise<CertificatePair>;
  /** For a user: the common name is the user name, the organizations are the groups. */
  issueClient(commonName: string, organizations: readonly string[]): Promise<CertificatePair>;
}

/** A new authority, or the one whose pair an earlier run has kept. */
export async function certificateAuthority(kept?: CertificatePair): Promise<CertificateAuthority> {
  const pair = kept ?? (await newAuthority());
  const certificate = new X509Certificate(pair.certPem);
  const signingKey = await crypto.subtle.importKey("pkcs8", PemConverter.decodeFirst(pair.keyPem), algorithm, false, ["sign"]);

  async function issue(
    subject: JsonName,
    usage: ExtendedKeyUsage,
    names: ConstructorParameters<typeof SubjectAlternativeNameExtension>[0],
  ): Promise<CertificatePair> {
    const keys = await newKeys();
    const issued = await X509CertificateGenerator.create({
      serialNumber: serial(),
      subject,
      issuer: certificate.subject,
      ...validity(),
      signingAlgorithm: algorithm,
      publicKey: keys.publicKey,
      signingKey,
      extensions: [
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([usage]),
        ...(Array.isArray(names) && names.length > 0 ? [new SubjectAlternativeNameExtension(names)] : []),
      ],
    });
    return { certPem: issued.toString("pem"), keyPem: await keyPem(keys.privateKey) };
  }

  return {
    ...pair,
    issueServer: () =>
      issue([{ CN: ["kube-apiserver"] }], ExtendedKeyUsage.serverAuth, [
        { type: "dns", value: "localhost" },
        { type: "ip", value: "127.0.0.1" },
      ]),
    issueClient: (commonName, organizations) =>
      issue([{ CN: [commonName] }, ...organizations.map((organization) => ({ O: [organization] }))], ExtendedKeyUsage.clientAuth, []),
  };
}

async function newAuthority(): Promise<CertificatePair> {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serial(),
    name: "CN=testcluster-ca",
    ...validity(),
    signingAlgorithm: algorithm,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign | KeyUsageFlags.digitalSignature, true),
    ],
  });
  return { certPem: certificate.toString("pem"), keyPem: await keyPem(keys.privateKey) };
}

const newKeys = () => crypto.subtle.generateKey(algorithm, true, ["sign", "verify"]);

const keyPem = async (key: CryptoKey) => PemConverter.encode(await crypto.subtle.exportKey("pkcs8", key), "PRIVATE KEY");

/** Real time, whatever clock the server runs on: the TLS library of the client checks against it. */
const validity = () => ({ notBefore: new Date(Date.now() - day), notAfter: new Date(Date.now() + 365 * day) });

/** Positive and without a leading zero byte, as DER wants it. */
const serial = () => `4${crypto.randomUUID().replaceAll("-", "").slice(0, 15)}`;
