package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/mprof/mprof/export"
	"github.com/mprof/mprof/profile"
	"github.com/mprof/mprof/serve/pprofui"
	"github.com/mprof/mprof/serve/symbols"
	"github.com/mprof/mprof/symbol"
)

// firefoxProfiler is the viewer, whose page fetches the profile from here and uploads nothing.
const firefoxProfiler = "https://profiler.firefox.com"

// viewCommand opens a profile in a viewer.
func (a *app) viewCommand() *cobra.Command {
	f := &viewerFlags{}
	cmd := &cobra.Command{
		Use:   "view [flags] PROFILE",
		Short: "Open a profile in the Firefox Profiler, or in pprof's pages",
		Long: `View serves a profile on this machine, and opens the Firefox Profiler on it: with
source and disassembly of the functions, which mprof answers itself. The page
comes from profiler.firefox.com; the profile stays here. PROFILE is any file that
mprof writes or reads, recognised by its content.

With --pprof it is pprof's own web interface, which needs no network at all.

What is served: the profile, machine code of its ELF file, and sources that the
profile carries or the ELF file's debug information names; under an address that
nobody can guess, and from this machine alone.`,
		Example: `  mprof view mprof-profile.json.gz
  mprof view run.mprof --elf app.elf --no-browser
  mprof view mprof-profile.pb.gz --pprof`,
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := f.prepare(args); err != nil {
				return usageError{err}
			}
			return a.view(cmd.Context(), f)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&f.elf, "elf", "", "ELF file of the program (default the one that PROFILE names)")
	addExtraELF(flags, &f.extra, "those that PROFILE names")
	flags.BoolVar(&f.pprof, "pprof", false, "pprof's pages in place of the Firefox Profiler; no network is needed")
	flags.StringVar(&f.profiler, "profiler", firefoxProfiler, "`URL` of another copy of the Firefox Profiler")
	addPage(flags, &f.address, &f.noBrowser)
	_ = cmd.MarkFlagFilename("elf")
	return cmd
}

// viewerFlags is the command line of mprof view.
type viewerFlags struct {
	path      string
	elf       string
	extra     []string
	pprof     bool
	profiler  string
	origin    string // of profiler
	address   string
	noBrowser bool
}

func (f *viewerFlags) prepare(args []string) error {
	switch {
	case len(args) == 0:
		return errors.New("which profile? name a file, as in: mprof view mprof-profile.json.gz")
	case len(args) > 1:
		return fmt.Errorf("view takes one profile, got %d: %s", len(args), strings.Join(args, ", "))
	case f.pprof && f.profiler != firefoxProfiler:
		return errors.New("--pprof and --profiler: which of the two?")
	}
	f.path = args[0]
	f.profiler = strings.TrimRight(f.profiler, "/")
	u, err := url.Parse(f.profiler)
	if err != nil || u.Host == "" || u.Scheme != "https" && u.Scheme != "http" || u.RawQuery != "" || u.Fragment != "" {
		return fmt.Errorf("--profiler %s: a URL is needed, such as %s", f.profiler, firefoxProfiler)
	}
	f.origin = u.Scheme + "://" + strings.ToLower(u.Host)
	return nil
}

// view is the command.
func (a *app) view(ctx context.Context, f *viewerFlags) error {
	p, program, err := a.openProfile(ctx, f.path, f.elf, f.extra)
	if err != nil {
		return err
	}
	if program == nil {
		fmt.Fprintln(a.stderr, "note: the ELF file is not at hand, so there is no disassembly, and no source that the profile does not carry (--elf names it)")
	}
	if f.pprof {
		return a.viewPprof(ctx, f, p, program)
	}
	served, err := firefoxJSON(f.path, p)
	if err != nil {
		return err
	}
	handler := symbols.Handler(symbols.Options{Profile: served, Sources: p.Sources, Program: program})
	return a.serveViewer(ctx, f, []string{f.origin}, handler, f.fromURL)
}

// fromURL is the address of the viewer with that of the profile in it, as the front-end wants both.
func (f *viewerFlags) fromURL(server string) string {
	name := filepath.Base(f.path)
	if f.path == "-" {
		name = "profile"
	}
	return fmt.Sprintf("%s/from-url/%s/?symbolServer=%s&profileName=%s", f.profiler,
		url.QueryEscape(server+"profile.json"), url.QueryEscape(strings.TrimSuffix(server, "/")), url.QueryEscape(name))
}

func (a *app) viewPprof(ctx context.Context, f *viewerFlags, p *profile.Profile, program *symbol.Program) (err error) {
	ui, err := pprofui.New(p, program, func(text string) { fmt.Fprintf(a.stderr, "pprof: %s\n", text) })
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, ui.Close()) }()
	return a.serveViewer(ctx, f, nil, http.Handler(ui), func(server string) string { return server + "flamegraph" })
}

// firefoxJSON is the profile as the Firefox Profiler reads it, compressed. A file that is in its format already is
// served as it is: others put more into it than mprof reads.
func firefoxJSON(path string, p *profile.Profile) ([]byte, error) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	if path != "-" {
		if data, ok := export.ProcessedFirefox(path); ok {
			_, err := z.Write(data)
			err = errors.Join(err, z.Close())
			return packed.Bytes(), err
		}
	}
	err := errors.Join(export.WriteFirefox(z, p), z.Close())
	return packed.Bytes(), err
}
