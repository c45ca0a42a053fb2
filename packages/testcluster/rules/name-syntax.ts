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

/** What is wrong with a DNS-1123 subdomain, the usual form of object names. Empty when nothing is. */
export function subdomainFaults(name: string): readonly string[] {
  return [...(name.length > 253 ? ["must be no more than 253 characters"] : []), ...(subdomain.test(name) ? [] : [subdomainText])];
}

/** What is wrong with a DNS-1123 label, the form of namespace names. */
export function labelFaults(name: string): readonly string[] {
  return [...(name.length > 63 ? ["must be no more than 63 characters"] : []), ...labelSyntaxFaults(name)];
}

function labelSyntaxFaults(name: string): readonly string[] {
  if (label.test(name)) return [];
  return name.split(".").every((part) => label.test(part)) ? ["must not contain dots"] : [labelText];
}

/** What is wrong with a CSI driver's name. */
export function driverNameFaults(name: string): readonly string[] {
  return subdomainFaults(name.toLowerCase());
}

/** What is wrong with the key of a label or annotation, or with a finalizer: an optional subdomain, a slash and a name. */
export function keyFaults(key: string): readonly string[] {
  const parts = key.split("/");
  const [first = "", second] = parts;
  if (parts.length > 2)
    return [`a valid label key ${keyNameText} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const name = second ?? first;
  const faults: string[] = [];
  if (second !== undefined) {
    if (first === "") faults.push("prefix part must be non-empty");
    else faults.push(...subdomainFaults(first).map((fault) => `prefix part ${fault}`));
  }
  if (name === "") faults.push("name part must be non-empty");
  else if (name.length > 63) faults.push("name part must be no more than 63 bytes");
  if (!keyName.test(name)) faults.push(`name part ${keyNameText}`);
  return faults;
}

/** What is wrong with the value of a label. */
export function labelValueFaults(value: string): readonly string[] {
  return [...(value.length > 63 ? ["must be no more than 63 bytes"] : []), ...(labelValue.test(value) ? [] : [labelValueText])];
}
