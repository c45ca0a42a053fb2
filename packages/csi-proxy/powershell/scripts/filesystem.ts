import { nativeMethods } from "./native-methods.ts";
import { type OperationScript, powershell } from "./operation-script.ts";

export const filesystemScripts = {
  // A backslash at the end would lead through a mount point to the volume behind it.
  "fs.reparseInfo": {
    functions: [nativeMethods],
    body: powershell`
Import-NativeMethod
$path = Get-LongPath $p.linkpath
if ($path -match '^(\\\\\?\\)?[A-Za-z]:\\+[^\\]') { $path = $path.TrimEnd('\') }
$attributes = [CsiProxyNative]::GetAttributes($path)
if ($attributes -eq -2 -or $attributes -eq -3) { return @{ data = @{ exists = $false } } }
if ($attributes -lt 0) { throw [System.ComponentModel.Win32Exception]::new([int](-$attributes)) }
if (-not ($attributes -band 0x400)) { return @{ data = @{ exists = $true; isReparsePoint = $false; tag = $null; target = $null } } }
$openReparsePoint = 0x02200000
$buffer = [CsiProxyNative]::Control($path, 0, $openReparsePoint, 0x900A8, [byte[]]@(), 16384)
$tag = [BitConverter]::ToUInt32($buffer, 0)
$names = switch ($tag) {
  2684354563 { 16 }
  2684354572 { 20 }
}
$target = $null
if ($names) {
  $offset = $names + [BitConverter]::ToUInt16($buffer, 8)
  $target = [System.Text.Encoding]::Unicode.GetString($buffer, $offset, [BitConverter]::ToUInt16($buffer, 10))
  if ($target.StartsWith('\??\UNC\')) { $target = '\\' + $target.Substring(8) }
  elseif ($target.StartsWith('\??\')) { $target = $target.Substring(4) }
}
@{ data = @{ exists = $true; isReparsePoint = $true; tag = $tag; target = $target } }
`,
  },
  "fs.testPath": {
    functions: [nativeMethods],
    body: powershell`
Import-NativeMethod
$attributes = [CsiProxyNative]::GetAttributes((Get-LongPath $p.remotepath))
$isMissing = $attributes -eq -2 -or $attributes -eq -3 -or $attributes -eq -123
if ($attributes -lt 0 -and -not $isMissing) { throw [System.ComponentModel.Win32Exception]::new([int](-$attributes)) }
@{ data = @{ valid = -not $isMissing } }
`,
  },
} as const satisfies Readonly<Record<string, OperationScript>>;
