import { powershell } from "./operation-script.ts";

/**
 * What every script begins with: any error ends it, nothing but answers is printed, and the functions that print an answer.
 *
 * Answers are written as bytes and escape what is not ASCII, so that neither the code page of the console nor the formatting of the
 * host can change them. The encoding of the console is set for what PowerShell prints itself; without a console that is impossible, and
 * not needed.
 *
 * Windows PowerShell gives lists a property of its own making and then writes some of them as an object of two properties; its
 * definition is removed. A command that Windows lacks counts as not installed: PowerShell's own category for it would read as a missing
 * disk or volume.
 */
export const prologue = powershell`
$ErrorActionPreference = 'Stop'
$ProgressPreference = 'SilentlyContinue'
$WarningPreference = 'SilentlyContinue'
try { [Console]::OutputEncoding = [System.Text.UTF8Encoding]::new($false) } catch { }
Remove-TypeData -TypeName System.Array -ErrorAction Ignore

function Write-Answer($Answer) {
  $json = ConvertTo-Json -InputObject $Answer -Compress -Depth 6
  $ascii = [regex]::Replace($json, '[^ -~]', { param($Match) '\u{0:x4}' -f [int][char]$Match.Value })
  $bytes = [System.Text.Encoding]::ASCII.GetBytes($ascii + [char]10)
  $stream = [Console]::OpenStandardOutput()
  $stream.Write($bytes, 0, $bytes.Length)
  $stream.Flush()
}

function Get-Failure($Record) {
  $exception = $Record.Exception.GetBaseException()
  $category = [string]$Record.CategoryInfo.Category
  $win32 = $null
  if ($exception -is [System.ComponentModel.Win32Exception]) { $win32 = $exception.NativeErrorCode }
  elseif ([string]$exception.MessageId -match '^Windows System Error (\d+)$') { $win32 = [int]$Matches[1] }
  if ($exception -is [System.Management.Automation.CommandNotFoundException]) { $category = 'NotInstalled' }
  elseif ($win32 -eq 5) { $category = 'PermissionDenied' }
  elseif ($win32 -eq 2 -or $win32 -eq 3) { $category = 'ObjectNotFound' }
  $failure = @{ message = [string]$exception.Message; category = $category; fqid = [string]$Record.FullyQualifiedErrorId }
  if ($null -ne $win32) { $failure.win32 = $win32 }
  if ($null -ne $exception.Data['wmi']) { $failure.wmi = $exception.Data['wmi'] }
  $failure
}

function Stop-NotFound([string]$Message) {
  $exception = [System.Exception]::new($Message)
  throw [System.Management.Automation.ErrorRecord]::new($exception, 'NotFound', 'ObjectNotFound', $null)
}
`;
