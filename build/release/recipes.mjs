import { isWindows } from '../binaries/targets.mjs'

/** Where releases are downloaded from. install.sh, install.ps1, action.yml and the template of GitLab have it too. */
export const releaseAddress = 'https://github.com/filehost/filehost/releases'

export const archiveName = (target) => `fh-${target}.tar.gz`

/** The recipes of package managers, by their file's name. @param sums the SHA-256 of each archive, by target */
export function recipes({ version, description, homepage, sums }) {
  const url = (target) => `${releaseAddress}/download/v${version}/${archiveName(target)}`
  const ruby = (target) => `url "${url(target)}"\n      sha256 "${sums[target]}"`
  const isExecutable = (target) => !isWindows(target) && !target.endsWith('-musl')
  const nixSystems = { 'linux-x64': 'x86_64-linux', 'linux-arm64': 'aarch64-linux', 'darwin-x64': 'x86_64-darwin' }
  const nix = Object.entries({ ...nixSystems, 'darwin-arm64': 'aarch64-darwin' })
    .filter(([target]) => isExecutable(target))
    .map(([target, system]) => `    ${system} = { url = "${url(target)}"; sha256 = "${sums[target]}"; };`)
  return {
    'fh.rb': `class Fh < Formula
  desc "${description}"
  homepage "${homepage}"
  version "${version}"
  license "MIT"

  on_macos do
    on_arm do
      ${ruby('darwin-arm64')}
    end
    on_intel do
      ${ruby('darwin-x64')}
    end
  end
  on_linux do
    on_arm do
      ${ruby('linux-arm64')}
    end
    on_intel do
      ${ruby('linux-x64')}
    end
  end

  def install
    bin.install "fh"
    man1.install "fh.1"
    generate_completions_from_executable(bin/"fh", "completion", shells: [:bash, :zsh, :fish])
  end

  test do
    assert_equal version.to_s, shell_output("#{bin}/fh --version").strip
  end
end
`,
    'fh.json': `${JSON.stringify(
      {
        version,
        description,
        homepage,
        license: 'MIT',
        architecture: { '64bit': { url: url('windows-x64'), hash: sums['windows-x64'] } },
        bin: 'fh.exe',
        checkver: { github: homepage.replace(/#.*/, '') },
        autoupdate: {
          architecture: { '64bit': { url: url('windows-x64').replace(`v${version}`, 'v$version') } },
          hash: { url: '$baseurl/SHA256SUMS' },
        },
      },
      null,
      2,
    )}\n`,
    PKGBUILD: `pkgname=filehost-bin
pkgver=${version}
pkgrel=1
pkgdesc='${description}'
arch=(x86_64 aarch64)
url='${homepage}'
license=(MIT)
depends=(glibc)
provides=(fh)
conflicts=(fh)
# Stripping would take away what follows the program's sections: fh itself.
options=(!strip !debug)
source_x86_64=('${url('linux-x64')}')
source_aarch64=('${url('linux-arm64')}')
sha256sums_x86_64=('${sums['linux-x64']}')
sha256sums_aarch64=('${sums['linux-arm64']}')

package() {
  install -Dm755 fh "$pkgdir/usr/bin/fh"
  install -Dm644 fh.1 "$pkgdir/usr/share/man/man1/fh.1"
  install -Dm644 LICENSE "$pkgdir/usr/share/licenses/$pkgname/LICENSE"
  "$pkgdir/usr/bin/fh" completion bash | install -Dm644 /dev/stdin "$pkgdir/usr/share/bash-completion/completions/fh"
}
`,
    'fh.nix': `{ lib, stdenv, fetchurl, autoPatchelfHook, installShellFiles }:
let
  sources = {
${nix.join('\n')}
  };
in
stdenv.mkDerivation {
  pname = "fh";
  version = "${version}";
  src = fetchurl sources.\${stdenv.hostPlatform.system};
  sourceRoot = ".";
  nativeBuildInputs = [ installShellFiles ] ++ lib.optional stdenv.hostPlatform.isLinux autoPatchelfHook;
  # Stripping would take away what follows the program's sections: fh itself.
  dontStrip = true;
  installPhase = "install -Dm755 fh $out/bin/fh; installManPage fh.1";
  meta = { description = "${description}"; homepage = "${homepage}"; license = lib.licenses.mit; mainProgram = "fh"; };
}
`,
  }
}
