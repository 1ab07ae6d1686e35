#!/bin/sh
# Installs what is missing for one purpose, and says what.
#   scripts/setup.sh demo   build mprof and run it on the simulated board
#   scripts/setup.sh test   also: cross compilers, QEMU, gdb, umockdev, OpenOCD, pyOCD, Chromium for the tests
# Uses apt-get on Debian and Ubuntu, with sudo only if something is missing and
# you are not root. On other systems it says what to install.
set -eu

purpose=${1:?usage: setup.sh demo|test}
missing=""

# need PACKAGE TEST...: adds the Debian package unless the test succeeds.
need() {
	package=$1
	shift
	"$@" >/dev/null 2>&1 || missing="$missing $package"
}
has() { command -v "$1"; }
has_hidapi() { ls /usr/lib/*/libhidapi-libusb.so.0; }
has_pyocd() { /usr/bin/python3 -c "import pyocd, usb.core"; }
has_chromium() { has chromium || has chromium-browser || has google-chrome; }
has_umockdev() { ls /usr/lib/*/libumockdev-preload.so.0; }
has_newlib() { [ -f "$(arm-none-eabi-gcc -print-file-name=libc.a)" ]; }
has_libstdcxx() { [ -f "$(arm-none-eabi-gcc -print-file-name=libstdc++.a)" ]; }

if ! has go >/dev/null; then
	echo "setup: Go is missing: install Go 1.21 or newer from https://go.dev/dl (it fetches the version that go.mod asks for)" >&2
	exit 1
fi

need gcc has cc
need libc6-dev sh -c 'printf "#include <stdio.h>\nint main(void){return 0;}\n" | cc -xc - -o /dev/null'
need pkg-config has pkg-config
need libusb-1.0-0-dev pkg-config --exists libusb-1.0
if [ "$purpose" = test ]; then
	need gcc-arm-none-eabi has arm-none-eabi-gcc
	need libnewlib-arm-none-eabi has_newlib
	need libstdc++-arm-none-eabi-newlib has_libstdcxx
	need clang has clang
	need lld has ld.lld
	need llvm has llvm-addr2line
	need qemu-system-arm has qemu-system-arm
	need qemu-system-misc has qemu-system-riscv32
	need gcc-riscv64-unknown-elf has riscv64-unknown-elf-gcc
	need picolibc-riscv64-unknown-elf test -f /usr/lib/picolibc/riscv64-unknown-elf/lib/libc.a
	need gdb-multiarch has gdb-multiarch
	need gdbserver has gdbserver
	need umockdev has_umockdev
	need openocd has openocd
	need chromium has_chromium
	need atftpd test -x /usr/sbin/atftpd
	need libhidapi-libusb0 has_hidapi
	need valgrind has callgrind_annotate
	need python3-pyocd has_pyocd
fi

[ -n "$missing" ] || exit 0
missing=$(echo "$missing" | tr ' ' '\n' | sort -u | tr '\n' ' ')

if ! has apt-get >/dev/null; then
	echo "setup: this is not Debian or Ubuntu. Please install the equivalent of these Debian packages, then run the command again:" >&2
	echo "   $missing" >&2
	case $(uname -s) in
	Darwin) echo "   with Homebrew: brew install pkg-config libusb qemu; brew install --cask gcc-arm-embedded" >&2 ;;
	esac
	if [ "$purpose" = demo ]; then
		echo "   (or build without USB, which needs none of them: CGO_ENABLED=0 go build ./cmd/mprof)" >&2
	fi
	exit 1
fi

sudo=""
if [ "$(id -u)" != 0 ]; then
	has sudo >/dev/null || {
		echo "setup: these packages are missing and neither root nor sudo is at hand:$missing" >&2
		exit 1
	}
	sudo=sudo
fi
echo "setup: installing with apt-get:$missing"
export DEBIAN_FRONTEND=noninteractive
# shellcheck disable=SC2086
$sudo apt-get install -y -qq --no-install-recommends $missing >/dev/null 2>&1 || {
	$sudo apt-get update -qq
	$sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $missing
}
