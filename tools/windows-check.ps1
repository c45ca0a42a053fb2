<#
.SYNOPSIS
Runs every operation of the CSI Proxy library on a real Windows machine and prints a table of what worked.

.DESCRIPTION
Nothing in this repository's own tests runs PowerShell: they parse the scripts. This is the missing part, for a person with a Windows
machine. It creates a virtual disk in a folder of its own, partitions, formats, mounts, grows and unmounts it, and removes it again. It
reads, but does not change, all other disks: before every change it asks Windows, by cmdlets of its own, whether the disk, volume and folder
are those of the virtual disk, and ends otherwise. It asks Windows to rescan its storage. It starts and stops one service, if that does not
run. SMB and iSCSI are only tried where a share or a target is given, and only if the machine does not use them already.

The scripts are run as the library runs them: once with a process for each operation, once in a session. The library's own file code is run
while the volume is mounted: none of what it removes may be on the volume. A csi-proxy.exe that was built is started once, and asked once.

Run it as administrator in a checkout, after `npm ci`:

  powershell -ExecutionPolicy Bypass -File tools\windows-check.ps1
  powershell -ExecutionPolicy Bypass -File tools\windows-check.ps1 -SmbShare \\server\share -SmbCredential server\user

The password for the share is asked for.

The exit code is the number of checks that failed.
#>
#Requires -RunAsAdministrator
param(
  # The PowerShell to test: that of Windows, or PowerShell 7 (pwsh.exe).
  [string]$PowerShell = (Join-Path $Env:SystemRoot 'System32\WindowsPowerShell\v1.0\powershell.exe'),
  # A service without dependents that does not run, and may be started and stopped.
  [string]$Service = 'MSiSCSI',
  [string]$SmbShare,
  [System.Management.Automation.Credential()][pscredential]$SmbCredential = [pscredential]::Empty,
  [string]$IscsiAddress,
  [string]$IscsiPort = '3260',
  [string]$IscsiTarget,
  # The program to start once, on the pipe of the group filesystem: the one that was built in this checkout, unless told.
  [string]$CsiProxy,
  # Changes the secret of the whole machine for mutual CHAP: only where that does not matter.
  [string]$IscsiMutualSecret
)

$ErrorActionPreference = 'Stop'
# Not below the folder of the user: diskpart reads its scripts in the code page of the system, and a user may have any name.
$work = Join-Path $Env:SystemRoot ('Temp\csi-proxy-check-' + [guid]::NewGuid())
$scripts = Join-Path $work 'scripts'
if (-not $CsiProxy) { $CsiProxy = Join-Path (Split-Path -Parent $PSScriptRoot) 'dist\windows-amd64\csi-proxy.exe' }
$rows = New-Object System.Collections.ArrayList
$session = $null
$requests = 0
$vhd = $null

# Windows PowerShell begins the input of a process with the mark of the console's encoding, if that has one. This one has none.
function Set-InputEncoding($Encoding) {
  # There may be no console.
  try { [Console]::InputEncoding = $Encoding } catch { }
}
$inputEncoding = [Console]::InputEncoding
Set-InputEncoding (New-Object System.Text.UTF8Encoding $false)

# An argument of a command line, as every program for Windows reads it.
function Get-QuotedArgument([string]$Text) {
  '"' + ([regex]::Replace([regex]::Replace($Text, '(\\*)"', '$1$1\"'), '(\\+)$', '$1$1')) + '"'
}

function Start-Script([string]$Name, [hashtable]$Variables, [bool]$HasInput) {
  $start = New-Object System.Diagnostics.ProcessStartInfo
  $start.FileName = $PowerShell
  $script = [System.IO.File]::ReadAllText((Join-Path $scripts ($Name + '.ps1')))
  $start.Arguments = '-NoLogo -NoProfile -NonInteractive -Mta -OutputFormat Text -Command ' + (Get-QuotedArgument $script)
  $start.UseShellExecute = $false
  $start.CreateNoWindow = $true
  $start.RedirectStandardInput = $true
  $start.RedirectStandardOutput = $true
  # Windows PowerShell cannot load the modules of a PowerShell 7 that this may run in.
  [void]$start.EnvironmentVariables.Remove('PSModulePath')
  foreach ($key in $Variables.Keys) { $start.EnvironmentVariables[$key] = $Variables[$key] }
  $process = [System.Diagnostics.Process]::Start($start)
  if (-not $HasInput) { $process.StandardInput.Close() }
  $process
}

function Invoke-OneShot([string]$Op, [hashtable]$Params) {
  $process = Start-Script $Op $Params $false
  $output = $process.StandardOutput.ReadToEnd()
  $process.WaitForExit()
  if ($process.ExitCode -ne 0) { throw ('exit code {0}: {1}' -f $process.ExitCode, $output) }
  $line = $output -split '\r?\n' | Where-Object { $_ } | Select-Object -Last 1
  ConvertFrom-Json -InputObject $line
}

function Invoke-InSession([string]$Op, [hashtable]$Params) {
  $script:requests += 1
  $request = ConvertTo-Json -InputObject @{ id = $script:requests; op = $Op; params = $Params } -Compress
  # As the library does: the session reads ASCII.
  $request = [regex]::Replace($request, '[^ -~]', { param($Match) '\u{0:x4}' -f [int][char]$Match.Value })
  $script:session.StandardInput.WriteLine($request)
  $script:session.StandardInput.Flush()
  $line = $script:session.StandardOutput.ReadLine()
  if ($null -eq $line) { throw 'the session has ended' }
  $reply = ConvertFrom-Json -InputObject $line
  if ($reply.id -ne $script:requests) { throw ('the reply has the id {0} instead of {1}' -f $reply.id, $script:requests) }
  $reply
}

# Asks for something, notes whether the check holds for the reply, and returns the data.
function Invoke-Check([string]$Operation, [string]$Mode, [scriptblock]$Ask, [scriptblock]$Check) {
  $watch = [System.Diagnostics.Stopwatch]::StartNew()
  $reply = $null
  try {
    $reply = & $Ask
    $isGood = [bool](& $Check $reply)
    $shown = ConvertTo-Json -InputObject $reply -Compress -Depth 6
  } catch {
    $isGood = $false
    $shown = [string]$_
  }
  $result = if ($isGood) { 'ok' } else { 'FAILED' }
  Add-Row $Operation $Mode $result $watch.ElapsedMilliseconds $shown
  $reply.data
}

function Test-Operation([string]$Op, [hashtable]$Params, [scriptblock]$Check) {
  if ($script:session) { Invoke-Check $Op 'session' { Invoke-InSession $Op $Params } $Check }
  else { Invoke-Check $Op 'one-shot' { Invoke-OneShot $Op $Params } $Check }
}

# Has the file code of the library do something, on the runtime that it runs on.
function Invoke-FileCall([hashtable]$Call) {
  $Env:WINDOWS_CHECK_CALL = ConvertTo-Json -InputObject ($Call + @{ powershell = $PowerShell }) -Compress -Depth 4
  $line = npx bun tools/windows-check-files.ts | Select-Object -Last 1
  if ($LASTEXITCODE -ne 0) { throw 'tools\windows-check-files.ts failed' }
  ConvertFrom-Json -InputObject $line
}

# Runs a method of the library's filesystem group.
function Test-File([string]$Method, [hashtable]$Request, [scriptblock]$Check) {
  Assert-InFolder $Request
  [void](Invoke-Check ('filesystem.' + $Method) 'library' { Invoke-FileCall @{ method = $Method; request = $Request } } $Check)
}

# Throws unless all paths are below the folder of this run.
function Assert-InFolder([hashtable]$Request) {
  foreach ($path in @($Request.Values | Where-Object { $_ -is [string] })) {
    if (-not $path.StartsWith($work + '\')) { throw ('{0} is not in the folder of this run' -f $path) }
  }
}

# Throws unless what an operation would change is part of the virtual disk, or below the folder of this run.
function Assert-Scratch([hashtable]$Params) {
  $image = Get-DiskImage -ImagePath $script:vhd
  if (-not $image.Attached) { throw 'the virtual disk is not attached' }
  $disk = Get-Disk -Number $image.Number
  $isVirtual = $disk.BusType -eq 'File Backed Virtual' -and -not $disk.IsBoot -and -not $disk.IsSystem -and $disk.Size -le 2147483648
  if (-not $isVirtual) { throw ('disk {0} is not the virtual disk of this run' -f $image.Number) }
  if (-not ($Params.ContainsKey('disk_number') -or $Params.ContainsKey('volumeID'))) { throw 'neither a disk nor a volume is named' }
  if ($Params.ContainsKey('disk_number') -and $Params.disk_number -ne [string]$image.Number) {
    throw ('disk "{0}" is not the virtual disk, which is disk {1}' -f $Params.disk_number, $image.Number)
  }
  if ($Params.ContainsKey('volumeID')) {
    $partitions = Get-Partition -DiskNumber $image.Number
    $volumes = @($partitions | Get-Volume -ErrorAction SilentlyContinue | ForEach-Object { $_.UniqueId })
    if ($volumes -notcontains $Params.volumeID) { throw ('volume "{0}" is not on the virtual disk' -f $Params.volumeID) }
  }
  if ($Params.ContainsKey('mountpath') -and -not $Params.mountpath.StartsWith($work + '\')) { throw 'the mount point is not in the folder of this run' }
}

# The same for an operation that changes a disk or a volume. What is not our own ends the part of the test.
function Test-Change([string]$Op, [hashtable]$Params, [scriptblock]$Check) {
  Assert-Scratch $Params
  Test-Operation $Op $Params $Check
}

# Runs a part of the tests. One that breaks off is a failure, and the others are run.
function Invoke-Part([string]$Name, [scriptblock]$Part) {
  try { & $Part } catch { Add-Row ('the rest of ' + $Name) $(if ($script:session) { 'session' } else { 'one-shot' }) 'FAILED' 0 ([string]$_) }
}

function Add-Row([string]$Operation, [string]$Mode, [string]$Result, [long]$Milliseconds, [string]$Reply) {
  $row = [pscustomobject]@{ Operation = $Operation; Mode = $Mode; Result = $Result; Milliseconds = $Milliseconds; Reply = $Reply }
  [void]$script:rows.Add($row)
}

function Add-Skipped([string]$Why, [string[]]$Operations) {
  foreach ($operation in $Operations) { Add-Row $operation '' 'skipped' 0 $Why }
}

function Invoke-DiskPart([string[]]$Lines) {
  $file = Join-Path $work 'diskpart.txt'
  [System.IO.File]::WriteAllLines($file, $Lines)
  $output = diskpart.exe /s $file
  if ($LASTEXITCODE -ne 0) { throw ('diskpart failed: ' + ($output -join ' ')) }
}

$succeeds = { param($Reply) $Reply.ok }
$isDone = { param($Reply) $Reply.ok -and $Reply.data.returnValue -eq 0 }
$isRemovedOrRefused = { param($Reply) $Reply.ok -or $Reply.error.code -eq 'FailedPrecondition' }
$isNull = { param($Reply) $Reply.ok -and $null -eq $Reply.data }
$isNotFound = { param($Reply) -not $Reply.ok -and $Reply.error.category -eq 'ObjectNotFound' -and $Reply.error.message -match 'not found' }

function Test-DiskAndVolume {
  Invoke-DiskPart @(('create vdisk file="{0}" maximum=1024 type=expandable' -f $vhd), 'attach vdisk')
  $number = [string](Get-DiskImage -ImagePath $vhd).Number
  $disk = @{ disk_number = $number }

  [void](Test-Operation 'disk.rescan' @{} $isNull)
  [void](Test-Operation 'disk.list' @{} { param($Reply) @($Reply.data | Where-Object { [string]$_.number -eq $number }).Count -eq 1 })
  [void](Test-Operation 'disk.list' @{ disk_number = '4294967295' } { param($Reply) $Reply.ok -and @($Reply.data).Count -eq 0 })
  $found = @(Test-Operation 'disk.list' $disk { param($Reply) @($Reply.data).Count -eq 1 -and $Reply.data[0].partitionStyle -eq 0 })[0]
  $paths = @{ disk_paths = ConvertTo-Json -InputObject @($found.path) -Compress }
  [void](Test-Operation 'disk.deviceIds' $paths { param($Reply) [string]$Reply.data[0].deviceNumber -eq $number })

  [void](Test-Change 'disk.setOnline' @{ disk_number = $number; is_online = 'true' } $succeeds)
  [void](Test-Change 'disk.initialize' $disk $isDone)
  $basic = '{ebd0a0a2-b9e5-4433-87c0-68b6b72699c7}'
  $isCreated = { param($Reply) $Reply.ok -and @(0, 42002) -contains $Reply.data.returnValue }
  [void](Test-Change 'disk.createPartition' @{ disk_number = $number; gpt_type = $basic } $isCreated)
  # A driver that dies here leaves a partition that no later call brings online: that it is online already is what upstream relies on, too.
  $online = @(Get-Partition -DiskNumber $number | Where-Object { $_.GptType -eq $basic -and -not $_.IsOffline })
  Add-Row 'a new partition is online' '' $(if ($online.Count -eq 1) { 'ok' } else { 'FAILED' }) 0 'it is not, before partition.online'
  [void](Test-Change 'disk.refresh' $disk $isDone)
  [void](Test-Operation 'disk.refresh' @{ disk_number = '4294967295' } $isNotFound)
  $partitions = Test-Operation 'disk.partitions' $disk { param($Reply) @($Reply.data | Where-Object { $_.gptType -eq $basic }).Count -eq 1 }
  $partition = [string]($partitions | Where-Object { $_.gptType -eq $basic }).partitionNumber
  [void](Test-Change 'partition.online' @{ disk_number = $number; partition_number = $partition } $succeeds)

  $listed = Test-Operation 'volume.list' @{ disk_number = $number; partition_number = $partition } { param($Reply) @($Reply.data).Count -eq 1 }
  $id = [string]@($listed)[0].uniqueId
  $volume = @{ volumeID = $id }
  [void](Test-Operation 'volume.get' $volume { param($Reply) $Reply.data.uniqueId -eq $id -and $Reply.data.fileSystemType -eq 0 })
  [void](Test-Change 'volume.format' $volume $isDone)
  [void](Test-Operation 'volume.get' $volume { param($Reply) $Reply.data.fileSystemType -ne 0 -and [uint64]$Reply.data.size -gt 900000000 })
  [void](Test-Operation 'volume.partition' $volume { param($Reply) [string]$Reply.data.diskNumber -eq $number })

  # Square brackets are wildcards to most cmdlets, and letters like these are lost between code pages.
  $parent = Join-Path $work ('pods ' + [guid]::NewGuid())
  $folder = Join-Path $parent ('pod [' + [guid]::NewGuid() + '] ' + [char]0xe4 + [char]0x4e2d)
  [void][System.IO.Directory]::CreateDirectory($folder)
  $mount = @{ volumeID = $id; mountpath = $folder }
  [void](Test-Operation 'fs.reparseInfo' @{ linkpath = $folder } { param($Reply) $Reply.data.exists -and -not $Reply.data.isReparsePoint })
  [void](Test-Change 'volume.addMountPoint' $mount { param($Reply) $Reply.data.win32 -eq 0 })
  [void](Test-Change 'volume.addMountPoint' $mount { param($Reply) $Reply.data.win32 -eq 145 })
  [void](Test-Operation 'fs.reparseInfo' @{ linkpath = $folder } { param($Reply) $Reply.data.tag -eq 2684354563 -and $Reply.data.target -match 'Volume\{' })
  [System.IO.File]::WriteAllText((Join-Path $folder 'file.txt'), 'data')
  [void](Test-Change 'volume.flush' $volume $isDone)
  if (-not $script:session) { Test-MountedFolder $parent $folder $mount }

  Invoke-DiskPart @(('select vdisk file="{0}"' -f $vhd), 'detach vdisk', 'expand vdisk maximum=2048', 'attach vdisk')
  [void](Test-Operation 'disk.rescan' @{} $isNull)
  $number = [string](Get-DiskImage -ImagePath $vhd).Number
  [void](Test-Change 'disk.setOnline' @{ disk_number = $number; is_online = 'true' } $succeeds)
  $sizes = Test-Operation 'volume.supportedSize' $volume { param($Reply) $Reply.data.returnValue -eq 0 -and [uint64]$Reply.data.sizeMax -gt 1900000000 }
  [void](Test-Change 'volume.resize' @{ volumeID = $id; size_bytes = [string]$sizes.sizeMax } $isDone)
  [void](Test-Change 'disk.refresh' @{ disk_number = $number } $isDone)
  [void](Test-Operation 'volume.get' $volume { param($Reply) [uint64]$Reply.data.size -gt 1900000000 })

  [void](Test-Change 'volume.removeMountPoint' $mount { param($Reply) $Reply.data.win32 -eq 0 })
  [void](Test-Operation 'fs.reparseInfo' @{ linkpath = $folder } { param($Reply) $Reply.data.exists -and -not $Reply.data.isReparsePoint })
  [void](Test-Change 'disk.setOnline' @{ disk_number = $number; is_online = 'false' } $isDone)
  [void](Test-Operation 'disk.list' @{ disk_number = $number } { param($Reply) $Reply.data[0].isOffline })
}

# What the file code of the library makes of a folder at which a volume is mounted. Whatever it removes, the data of the volume stays.
function Test-MountedFolder([string]$Parent, [string]$Folder, [hashtable]$Mount) {
  $link = Join-Path $work ('to mount ' + [guid]::NewGuid())
  Test-File 'pathExists' @{ path = $Folder } { param($Reply) $Reply.data.exists }
  Test-File 'pathValid' @{ path = $Folder } { param($Reply) $Reply.data.valid }
  Test-File 'isSymlink' @{ path = $Folder } { param($Reply) $Reply.data.isSymlink }
  Test-File 'createSymlink' @{ sourcePath = $Folder; targetPath = $link } { param($Reply) $Reply.ok -and [System.IO.File]::Exists((Join-Path $link 'file.txt')) }
  Test-File 'isSymlink' @{ path = $link } { param($Reply) $Reply.data.isSymlink }
  Test-File 'rmdir' @{ path = $link; force = $true } { param($Reply) $Reply.ok -and -not [System.IO.Directory]::Exists($link) }
  Test-File 'mkdir' @{ path = Join-Path $Parent 'beside\it' } { param($Reply) $Reply.ok -and [System.IO.Directory]::Exists((Join-Path $Parent 'beside\it')) }
  Test-Data 'before it is removed' $Folder $Mount
  # The mount point is removed itself, or the call fails.
  Test-File 'rmdirContents' @{ path = $Parent } $isRemovedOrRefused
  Test-Data 'after rmdirContents of the folder around it' $Folder $Mount
  Test-File 'rmdir' @{ path = $Parent; force = $true } $isRemovedOrRefused
  Test-Data 'after a forced rmdir of the folder around it' $Folder $Mount
  Test-File 'rmdir' @{ path = $Folder; force = $true } $isRemovedOrRefused
  Test-Data 'after a forced rmdir of the mount point' $Folder $Mount
}

# Mounts the volume again where it is not, and looks for the file on it.
function Test-Data([string]$When, [string]$Folder, [hashtable]$Mount) {
  [void][System.IO.Directory]::CreateDirectory($Folder)
  [void](Test-Change 'volume.addMountPoint' $Mount { param($Reply) @(0, 145) -contains $Reply.data.win32 })
  $isThere = [System.IO.File]::Exists((Join-Path $Folder 'file.txt'))
  Add-Row ('file.txt ' + $When) 'library' $(if ($isThere) { 'ok' } else { 'FAILED' }) 0 'the data of the volume is gone'
  if (-not $isThere) { throw 'the library has removed what is on the volume' }
}

function Test-Server {
  if (-not [System.IO.File]::Exists($CsiProxy)) {
    Add-Skipped ('there is no ' + $CsiProxy) @('csi-proxy.exe')
    return
  }
  $probe = New-Object System.IO.Pipes.NamedPipeClientStream '.', 'csi-proxy-filesystem-v1'
  $isServed = $true
  try { $probe.Connect(500) } catch { $isServed = $false } finally { $probe.Dispose() }
  if ($isServed) {
    Add-Skipped 'this machine has a csi-proxy that runs' @('csi-proxy.exe')
    return
  }
  $server = @{
    command = @($CsiProxy, '--groups=filesystem/v1', ('--working-dir=' + $work), ('--powershell=' + $PowerShell))
    endpoint = '\\.\pipe\csi-proxy-filesystem-v1'
  }
  $call = @{ method = 'pathExists'; request = @{ path = $scripts }; server = $server }
  [void](Invoke-Check 'csi-proxy.exe' 'server' { Invoke-FileCall $call } { param($Reply) $Reply.data.exists })
}

function Test-FileAndText {
  $link = Join-Path $work ('link-' + [guid]::NewGuid())
  [void](cmd.exe /c mklink /D $link $scripts)
  [void](Test-Operation 'fs.reparseInfo' @{ linkpath = $link } { param($Reply) $Reply.data.tag -eq 2684354572 -and $Reply.data.target -like ('*' + $scripts) })
  [void](Test-Operation 'fs.reparseInfo' @{ linkpath = $link + '-missing' } { param($Reply) $Reply.ok -and -not $Reply.data.exists })
  [System.IO.Directory]::Delete($link)
  [void](Test-Operation 'fs.testPath' @{ remotepath = $work } { param($Reply) $Reply.data.valid })
  [void](Test-Operation 'fs.testPath' @{ remotepath = $work + '\missing' } { param($Reply) $Reply.ok -and -not $Reply.data.valid })
  $drive = $Env:SystemDrive.Substring(0, 1)
  [void](Test-Operation 'volume.byDriveLetter' @{ drivepath = $drive } { param($Reply) $Reply.data.uniqueId -match 'Volume\{' })

  # None of these texts is run, and none of them changes on its way.
  $bait = Join-Path $work 'bait.txt'
  foreach ($text in "'; Set-Content '$bait' x; '", "`$(Set-Content '$bait' x)", '"; & cmd /c echo "', '2024-01-01T00:00:00Z', "' OR 1=1") {
    [void](Test-Operation 'volume.get' @{ volumeID = $text } $isNull)
    [void](Test-Operation 'system.startService' @{ ServiceName = $text } { param($Reply) -not $Reply.ok -and $Reply.error.message.Contains($text) })
  }
  if ([System.IO.File]::Exists($bait)) { throw 'a parameter was run as a command' }
}

function Test-System {
  [void](Test-Operation 'system.bios' @{} { param($Reply) $Reply.ok -and $null -ne $Reply.data.serialNumber })
  $named = @{ ServiceName = $Service }
  $before = Test-Operation 'system.getService' $named { param($Reply) $Reply.data.name -eq $Service }
  [void](Test-Operation 'system.getService' @{ ServiceName = 'no-such-service' } $isNull)
  [void](Test-Operation 'system.dependents' $named { param($Reply) $Reply.ok -and $Reply.data -is [array] })
  if ($before.state -ne 'Stopped') {
    # Somebody may need it: without MSiSCSI, for instance, the machine loses its iSCSI disks.
    Add-Skipped ('the service ' + $Service + ' is in use: name another one with -Service') @('system.startService', 'system.stopService')
  } else {
    [void](Test-Operation 'system.startService' $named { param($Reply) $Reply.ok -and @(0, 10) -contains $Reply.data.returnValue })
    (Get-Service -Name $Service).WaitForStatus('Running', [timespan]::FromSeconds(30))
  }
  if ((Get-Service -Name 'MSiSCSI').Status -eq 'Running') {
    [void](Test-Operation 'iscsi.listPortals' @{} { param($Reply) $Reply.ok -and $Reply.data -is [array] })
  } else {
    Add-Skipped 'MSiSCSI does not run' @('iscsi.listPortals')
  }
  if ($before.state -eq 'Stopped') {
    [void](Test-Operation 'system.stopService' $named $isDone)
    (Get-Service -Name $Service).WaitForStatus('Stopped', [timespan]::FromSeconds(30))
  }
}

function Test-Smb {
  $mapping = @{ smbremotepath = $SmbShare }
  $secret = @{ smbuser = $SmbCredential.UserName; smbpassword = $SmbCredential.GetNetworkCredential().Password }
  $new = $mapping + $secret + @{ require_privacy = 'true' }
  if (Get-SmbGlobalMapping -RemotePath $SmbShare -ErrorAction SilentlyContinue) { throw ($SmbShare + ' is mapped already, and may be in use') }
  [void](Test-Operation 'smb.getMapping' $mapping $isNull)
  [void](Test-Operation 'smb.newMapping' $new $isDone)
  [void](Test-Operation 'smb.getMapping' $mapping { param($Reply) $Reply.data.status -eq 0 })
  [void](Test-Operation 'fs.testPath' @{ remotepath = $SmbShare } { param($Reply) $Reply.data.valid })
  [void](Test-Operation 'smb.removeMapping' $mapping $isDone)
  [void](Test-Operation 'smb.removeMapping' $mapping $isNotFound)
}

function Test-Iscsi {
  Start-Service -Name 'MSiSCSI'
  if (Get-IscsiTarget -NodeAddress $IscsiTarget -ErrorAction SilentlyContinue) { throw ($IscsiTarget + ' is known already, and may be in use') }
  $known = @(Get-IscsiTargetPortal -ErrorAction SilentlyContinue | Where-Object { $_.TargetPortalAddress -eq $IscsiAddress })
  if ($known.Count -gt 0) { throw ($IscsiAddress + ' is a portal already, and may be in use') }
  $portal = @{ iscsi_tp_address = $IscsiAddress; iscsi_tp_port = $IscsiPort }
  $target = $portal + @{ iscsi_target_iqn = $IscsiTarget }
  [void](Test-Operation 'iscsi.newPortal' $portal $isDone)
  [void](Test-Operation 'iscsi.targets' $portal { param($Reply) @($Reply.data | Where-Object { $_.nodeAddress -ceq $IscsiTarget }).Count -eq 1 })
  [void](Test-Operation 'iscsi.connect' ($target + @{ iscsi_auth_type = 'NONE' }) $isDone)
  $sessions = Test-Operation 'iscsi.sessions' $target { param($Reply) @($Reply.data).Count -gt 0 }
  [void](Test-Operation 'iscsi.targetDisks' $target { param($Reply) $Reply.ok -and $Reply.data -is [array] })
  foreach ($entry in @($sessions)) {
    if ($entry.isPersistent) { [void](Test-Operation 'iscsi.unregister' @{ iscsi_session_id = $entry.sessionIdentifier } $isDone) }
    $ended = @{ iscsi_target_iqn = $IscsiTarget; iscsi_session_id = $entry.sessionIdentifier }
    [void](Test-Operation 'iscsi.disconnect' $ended $isDone)
  }
  [void](Test-Operation 'iscsi.unregister' @{ iscsi_session_id = 'no-such-session' } $isNotFound)
  [void](Test-Operation 'iscsi.removePortal' $portal $isDone)
}

[void][System.IO.Directory]::CreateDirectory($work)
Push-Location (Split-Path -Parent $PSScriptRoot)
try {
  npx bun tools/write-powershell-scripts.ts $scripts
  if ($LASTEXITCODE -ne 0) { throw 'the scripts could not be written: run npm ci first' }
  foreach ($mode in 'one-shot', 'session') {
    if ($mode -eq 'session') { $session = Start-Script 'session-host' @{} $true }
    $vhd = Join-Path $work ($mode + '.vhdx')
    Invoke-Part 'disk and volume' { Test-DiskAndVolume }
    [void](Dismount-DiskImage -ImagePath $vhd -ErrorAction SilentlyContinue)
    Invoke-Part 'files and texts' { Test-FileAndText }
    Invoke-Part 'system' { Test-System }
    if ($SmbShare) { Invoke-Part 'smb' { Test-Smb } }
    if ($IscsiTarget) { Invoke-Part 'iscsi' { Test-Iscsi } }
    if ($IscsiMutualSecret) { [void](Test-Operation 'iscsi.setChapSecret' @{ iscsi_mutual_chap_secret = $IscsiMutualSecret } $isDone) }
  }
  Invoke-Part 'csi-proxy.exe' { Test-Server }
  if (-not $SmbShare) { Add-Skipped 'no -SmbShare' @('smb.getMapping', 'smb.newMapping', 'smb.removeMapping') }
  if (-not $IscsiTarget) {
    Add-Skipped 'no -IscsiTarget' @('iscsi.newPortal', 'iscsi.removePortal', 'iscsi.targets', 'iscsi.connect', 'iscsi.sessions', 'iscsi.unregister', 'iscsi.disconnect', 'iscsi.targetDisks')
  }
  if (-not $IscsiMutualSecret) { Add-Skipped 'no -IscsiMutualSecret' @('iscsi.setChapSecret') }
} finally {
  Pop-Location
  # Ctrl-C may have come amid a part.
  if ($vhd) { [void](Dismount-DiskImage -ImagePath $vhd -ErrorAction SilentlyContinue) }
  if ($session) {
    $session.StandardInput.Close()
    if (-not $session.WaitForExit(5000)) { $session.Kill() }
  }
  Set-InputEncoding $inputEncoding
  Remove-Item -LiteralPath $work -Recurse -Force -ErrorAction SilentlyContinue
}

$rows | Format-Table -Property @('Operation', 'Mode', 'Result', 'Milliseconds') -AutoSize | Out-String | Write-Host
$failed = @($rows | Where-Object { $_.Result -eq 'FAILED' })
foreach ($row in $failed) { Write-Host ('{0} ({1}): {2}' -f $row.Operation, $row.Mode, $row.Reply) }
Write-Host ('Windows {0}, PowerShell {1}: {2} checks, {3} failed' -f [Environment]::OSVersion.Version, $PowerShell, $rows.Count, $failed.Count)
exit $failed.Count
