import { nativeMethods } from "./native-methods.ts";
import { type OperationScript, powershell } from "./operation-script.ts";

export const filesystemScripts = {
  // A backslash at the end would lead through a mount point to the volume behind it. A target is told as it is stored, with the prefix
  // of the object manager; mount points and links have headers of different lengths before their names. Error 2 is a missing file, 3 a
  // missing directory above it.
  "fs.reparseInfo": {
    functions: [nativeMethods],
    body: powershell`
Import-NativeMethod
$path = Get-LongPath $p.linkpath
if ($path -match '^(\\\\\?\\)?[A-Za-z]:\\+[^\\]') { $path = $path.TrimEnd('\') }
$attributes = [CsiProxyNative]::GetAttributes($path)
if (@(-2, -3) -contains $attributes) { return @{ data = @{ exists = $false } } }
if ($attributes -lt 0) { throw [System.ComponentModel.Win32Exception]::new([int](-$attributes)) }
$isReparsePoint = 0x400
if (-not ($attributes -band $isReparsePoint)) { return @{ data = @{ exists = $true; isReparsePoint = $false; tag = $null; target = $null } } }
$openReparsePoint = 0x02200000
$getReparsePoint = 0x900A8
$buffer = [CsiProxyNative]::Control($path, 0, $openReparsePoint, $getReparsePoint, [byte[]]@(), 16384)
$tag = [BitConverter]::ToUInt32($buffer, 0)
$mountPoint = 2684354563
$symbolicLink = 2684354572
$names = if ($tag -eq $mountPoint) { 16 } elseif ($tag -eq $symbolicLink) { 20 }
$target = $null
if ($names) {
  $offset = $names + [BitConverter]::ToUInt16($buffer, 8)
  $target = [System.Text.Encoding]::Unicode.GetString($buffer, $offset, [BitConverter]::ToUInt16($buffer, 10))
}
@{ data = @{ exists = $true; isReparsePoint = $true; tag = $tag; target = $target } }
`,
  },
  // Error 123 is a name that no file can have. Any other, such as a password that is no longer right, is not the same as a missing path.
  "fs.testPath": {
    functions: [nativeMethods],
    body: powershell`
Import-NativeMethod
$attributes = [CsiProxyNative]::GetAttributes((Get-LongPath $p.remotepath))
$isMissing = @(-2, -3, -123) -contains $attributes
if ($attributes -lt 0 -and -not $isMissing) { throw [System.ComponentModel.Win32Exception]::new([int](-$attributes)) }
@{ data = @{ valid = -not $isMissing } }
`,
  },
} as const satisfies Readonly<Record<string, OperationScript>>;
