package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"sync"

	"github.com/pkg/browser"
)

// ErrNoBrowser: nothing here can show a page, such as in a shell on another machine.
var ErrNoBrowser = errors.New("serve: there is no display to open a browser on")

var quietBrowser = sync.OnceFunc(func() {
	browser.Stdout, browser.Stderr = io.Discard, io.Discard
})

// OpenBrowser opens a page in the user's browser. It returns when the browser has been told, or with
// the end of ctx: some systems' openers stay until the browser is closed.
func OpenBrowser(ctx context.Context, url string) error {
	if !hasDisplay(runtime.GOOS, os.Getenv) {
		return ErrNoBrowser
	}
	quietBrowser()
	opened := make(chan error, 1)
	go func() { opened <- browser.OpenURL(url) }()
	select {
	case err := <-opened:
		if err != nil {
			return fmt.Errorf("serve: open a browser: %w", err)
		}
		return nil
	case <-ctx.Done():
		return nil
	}
}

// hasDisplay tells whether a browser could be seen. Where that is X11's or Wayland's matter, a browser
// without them would take the terminal.
func hasDisplay(system string, env func(string) string) bool {
	switch system {
	case "windows", "darwin":
		return true
	}
	for _, name := range []string{"DISPLAY", "WAYLAND_DISPLAY", "BROWSER", "WSL_DISTRO_NAME"} {
		if env(name) != "" {
			return true
		}
	}
	return false
}
