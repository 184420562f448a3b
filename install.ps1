# Installs fh, or its newest release over an older one, without administrator rights: irm …/install.ps1 | iex
#   $env:FH_INSTALL_DIR   the folder for fh.exe; default: %LOCALAPPDATA%\Programs\fh
#   $env:FH_VERSION       a version such as 1.2.0; default: the newest
#   $env:FH_RELEASE_URL   where the releases are
& {
  $ErrorActionPreference = 'Stop'
  $ProgressPreference = 'SilentlyContinue'
  [Net.ServicePointManager]::SecurityProtocol = [Net.ServicePointManager]::SecurityProtocol -bor [Net.SecurityProtocolType]::Tls12
  $withoutBinary = 'With Node 22.19 or newer: npm i -g filehost'

  $releases = if ($env:FH_RELEASE_URL) { $env:FH_RELEASE_URL.TrimEnd('/') } else { 'https://github.com/filehost/filehost/releases' }
  $folder = if ($env:FH_INSTALL_DIR) { $env:FH_INSTALL_DIR } else { Join-Path $env:LOCALAPPDATA 'Programs\fh' }
  $place = if ($env:FH_VERSION) { "download/v$($env:FH_VERSION.TrimStart('v'))" } else { 'latest/download' }
  # The binary for x64 runs on ARM64 too, which Windows 11 emulates.
  if (-not [Environment]::Is64BitOperatingSystem) { throw "There is no binary of fh for 32 bits. $withoutBinary" }
  $archive = 'fh-windows-x64.tar.gz'
  $program = Join-Path $folder 'fh.exe'

  function Save($name, $file) {
    $url = "$releases/$place/$name"
    try { Invoke-WebRequest -UseBasicParsing -Uri $url -OutFile $file }
    catch { throw "$url cannot be downloaded: $($_.Exception.Message) Nothing was changed." }
  }
  function Get-Sum($file) { (Get-FileHash -Algorithm SHA256 $file).Hash.ToLowerInvariant() }

  try { New-Item -ItemType Directory -Force $folder | Out-Null }
  catch { throw "$folder cannot be made. Name another folder: `$env:FH_INSTALL_DIR" }
  $work = Join-Path $folder ".fh-install-$PID"
  try { New-Item -ItemType Directory -Force $work | Out-Null }
  catch { throw "$folder cannot be written. Name another folder: `$env:FH_INSTALL_DIR" }
  try {
    if ((Test-Path $program) -and -not (Select-String -Quiet -SimpleMatch 'FH_CONFIG_DIR' $program)) {
      throw "$program is another program. Remove it, or name another folder: `$env:FH_INSTALL_DIR"
    }
    Save 'SHA256SUMS' "$work\SHA256SUMS"
    $sums = @{}
    foreach ($line in Get-Content "$work\SHA256SUMS") {
      $sum, $name = $line -split ' [ *]', 2
      $sums[$name] = $sum
    }
    if (-not $sums[$archive]) { throw "The release has no checksum of ${archive}: it is not installed. $withoutBinary" }
    if ((Test-Path $program) -and (Get-Sum $program) -eq $sums['fh-windows-x64.exe']) {
      Write-Host "fh $(& $program --version) is installed already: $program"
    } else {
      Write-Host "Downloading $archive from $releases"
      Save $archive "$work\$archive"
      $found = Get-Sum "$work\$archive"
      if ($found -ne $sums[$archive]) {
        throw "$archive is not what the release says, or its download broke off: its checksum is $found, not $($sums[$archive]). Nothing was changed."
      }
      Write-Host "Its checksum is right: $found"
      tar -xzf "$work\$archive" -C $work fh.exe
      if ($LASTEXITCODE -ne 0) { throw "$archive cannot be unpacked. Nothing was changed." }
      $version = & "$work\fh.exe" --version
      if ($LASTEXITCODE -ne 0) { throw "fh does not start on this system. Nothing was changed. $withoutBinary" }
      $before = if (Test-Path $program) { & $program --version } else { $null }
      try { Move-Item -Force "$work\fh.exe" $program }
      catch { throw "$program cannot be replaced while it runs. End it, and run this again." }
      if ($before) { Write-Host "fh $before became ${version}: $program" } else { Write-Host "Installed fh ${version}: $program" }
    }
    $first = (Get-Command fh -ErrorAction SilentlyContinue | Select-Object -First 1).Source
    if (-not $first) {
      Write-Host "$folder is not on the PATH. Add it: [Environment]::SetEnvironmentVariable('Path', `"$folder;`" + [Environment]::GetEnvironmentVariable('Path', 'User'), 'User')"
    } elseif ($first -ne $program) { Write-Host "Another fh comes first on the PATH: $first" }
  } finally {
    Remove-Item -Recurse -Force $work -ErrorAction SilentlyContinue
  }
}
