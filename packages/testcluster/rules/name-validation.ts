const subdomain = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const label = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const keyName = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const labelValue = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

const subdomainText =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
const labelText =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
const keyNameText =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const labelValueText =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";

/** The errors in a DNS-1123 subdomain, the usual form of object names; empty when it is valid. */
export function dns1123SubdomainErrors(name: string): readonly string[] {
  return [...(name.length > 253 ? ["must be no more than 253 characters"] : []), ...(subdomain.test(name) ? [] : [subdomainText])];
}

/** The errors in a DNS-1123 label, the form of namespace names. */
export function dns1123LabelErrors(name: string): readonly string[] {
  return [...(name.length > 63 ? ["must be no more than 63 characters"] : []), ...dns1123SyntaxErrors(name)];
}

function dns1123SyntaxErrors(name: string): readonly string[] {
  if (label.test(name)) return [];
  return name.split(".").every((part) => label.test(part)) ? ["must not contain dots"] : [labelText];
}

/** The errors in a CSI driver's name. */
export function csiDriverNameErrors(name: string): readonly string[] {
  return dns1123SubdomainErrors(name.toLowerCase());
}

/** The errors in a qualified name, such as the key of a label or a finalizer: an optional subdomain, a slash and a name. */
export function qualifiedNameErrors(key: string): readonly string[] {
  const parts = key.split("/");
  const [first = "", second] = parts;
  if (parts.length > 2)
    return [`a valid label key ${keyNameText} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const name = second ?? first;
  const errors: string[] = [];
  if (second !== undefined) {
    if (first === "") errors.push("prefix part must be non-empty");
    else errors.push(...dns1123SubdomainErrors(first).map((fault) => `prefix part ${fault}`));
  }
  if (name === "") errors.push("name part must be non-empty");
  else if (name.length > 63) errors.push("name part must be no more than 63 bytes");
  if (!keyName.test(name)) errors.push(`name part ${keyNameText}`);
  return errors;
}

/** The errors in the value of a label. */
export function labelValueErrors(value: string): readonly string[] {
  return [...(value.length > 63 ? ["must be no more than 63 bytes"] : []), ...(labelValue.test(value) ? [] : [labelValueText])];
}
