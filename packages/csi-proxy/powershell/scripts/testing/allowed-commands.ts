/**
 * The cmdlets that scripts may call, each with the parameters that they may use. None of them runs what a caller says, or takes a path
 * with wildcards or a query: data is compared, never made part of one.
 */
export const allowedCommands: ReadonlyMap<string, readonly string[]> = new Map([
  ["Add-Type", ["-AssemblyName", "-IgnoreWarnings", "-TypeDefinition"]],
  ["ConvertFrom-Json", ["-InputObject"]],
  ["ConvertTo-Json", ["-InputObject", "-Compress", "-Depth"]],
  ["Get-CimAssociatedInstance", ["-InputObject", "-Association", "-ResultClassName"]],
  ["Get-CimInstance", ["-Namespace", "-ClassName", "-InputObject"]],
  ["Invoke-CimMethod", ["-InputObject", "-Namespace", "-ClassName", "-MethodName", "-Arguments"]],
  ["New-CimInstance", ["-Namespace", "-ClassName", "-Property", "-Key", "-ClientOnly"]],
  ["Remove-TypeData", ["-TypeName", "-ErrorAction"]],
  ["Select-Object", ["-First"]],
  ["Where-Object", []],
]);

/** The types that scripts may name. */
export const allowedTypes: readonly string[] = [
  "[BitConverter]",
  "[Console]",
  "[Convert]",
  "[CsiProxyNative]",
  "[System.ComponentModel.Win32Exception]",
  "[System.Exception]",
  "[System.IO.StreamReader]",
  "[System.Management.Automation.CommandNotFoundException]",
  "[System.Management.Automation.ErrorRecord]",
  "[System.Text.Encoding]",
  "[System.Text.Json.JsonDocument]",
  "[System.Text.UTF8Encoding]",
  "[System.Web.Script.Serialization.JavaScriptSerializer]",
  "[bool]",
  "[byte[]]",
  "[char]",
  "[hashtable]",
  "[int]",
  "[long]",
  "[pscustomobject]",
  "[regex]",
  "[string]",
  "[type]",
  "[uint16]",
  "[uint32]",
  "[uint64]",
];

/** The methods that scripts may call on a type or an object. */
export const allowedMethods: readonly string[] = [
  "Control",
  "DeleteMountPoint",
  "DeserializeObject",
  "EnumerateObject",
  "Flush",
  "GetAttributes",
  "GetBaseException",
  "GetBytes",
  "GetEnumerator",
  "GetInt64",
  "GetProperty",
  "GetString",
  "OpenStandardInput",
  "OpenStandardOutput",
  "Parse",
  "ReadLine",
  "Replace",
  "SetMountPoint",
  "ToBase64String",
  "ToUInt16",
  "ToUInt32",
  "TrimEnd",
  "Write",
  "new",
];
