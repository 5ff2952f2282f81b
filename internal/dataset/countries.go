package dataset

// country is what a customer's data agrees on: where people of a nationality live, what they are called, how addresses
// and telephone numbers look.
//
// Lists are written in one string. In patterns # is a digit and @ a capital letter, see gen.pattern; a street has * for
// one of the names and # for its number.
type country struct {
	name, nationality string
	share             int // weight among residents
	currency          string
	dial              string
	area, local       string // patterns of telephone numbers
	tld               string
	languages         []string // the first is everybody's
	male, female      []word
	last              []word
	cities            []city
	streets           []word
	street            string
}

type city struct {
	name, region word
	postal       string // pattern
}

var countries = []country{
	{
		name: "USA", nationality: "American", share: 28, currency: "USD", dial: "1",
		area: "###", local: "#######", tld: "com", languages: listOf("English, Spanish"),
		male:   words("James, Robert, John, Michael, David, William, Richard, Joseph, Thomas, Charles, Christopher, Daniel, Matthew, Anthony, Mark, Steven, Paul, Andrew, Joshua, Kenneth, Kevin, Brian, José, Timothy, Gregory, Tyrone, Wendell, Curtis"),
		female: words("Mary, Patricia, Jennifer, Linda, Elizabeth, Barbara, Susan, Jessica, Sarah, Karen, Lisa, Nancy, Betty, Sandra, Margaret, Ashley, Kimberly, Emily, Donna, Michelle, Carol, Amanda, Melissa, Deborah, Renée, Latisha, Loretta, Joyce"),
		last:   words("Smith, Johnson, Williams, Brown, Jones, Garcia, Miller, Davis, Rodriguez, Martínez, Hernandez, Lopez, Wilson, Anderson, Thomas, Taylor, Moore, Jackson, Martin, Lee, Perez, Thompson, White, Harris, Sanchez, Clark, Ramírez, Lewis, Robinson, Walker, Young, Allen, King, Wright, Scott, Torres, Nguyen, Hill, Flores, Green, Whitaker, Vandermeer, Kowalczyk, Okafor, Pettigrew, Lindqvist, Abernathy, Castellano"),
		cities: cities("New York/New York/100##, Los Angeles/California/900##, Chicago/Illinois/606##, Houston/Texas/770##, Phoenix/Arizona/850##, Philadelphia/Pennsylvania/191##, San Antonio/Texas/782##, San Diego/California/921##, Dallas/Texas/752##, San Jose/California/951##, Austin/Texas/787##, Columbus/Ohio/432##, Charlotte/North Carolina/282##, Indianapolis/Indiana/462##, Seattle/Washington/981##, Denver/Colorado/802##, Boston/Massachusetts/021##, Nashville/Tennessee/372##, Portland/Oregon/972##, Milwaukee/Wisconsin/532##, Albuquerque/New Mexico/871##, Omaha/Nebraska/681##, Raleigh/North Carolina/276##, Minneapolis/Minnesota/554##, Cañon City/Colorado/812##, Poughkeepsie/New York/126##"),
		street: "# *", streets: words("Blossom Hill Rd, Maple Ave, Oak St, Washington Blvd, Lakeview Dr, Elm St, Park Ave, Cedar Ln, Sunset Blvd, Church St, Highland Ave, Willow Creek Rd, Jefferson St, Ridgewood Ct, Mill Pond Rd, Spring Valley Dr, Chestnut St, Franklin Ave, River Rd, Orchard Ln, Magnolia Way, Bailey Ave, Old Post Rd, Sycamore Ter"),
	}, {
		name: "Germany", nationality: "German", share: 9, currency: "EUR", dial: "49",
		area: "###", local: "#######", tld: "de", languages: listOf("German, English, French"),
		male:   words("Hans, Peter, Michael, Thomas, Andreas, Wolfgang, Klaus, Jürgen, Günter, Stefan, Christian, Uwe, Werner, Matthias, Bernd, Jörg, Dieter, Holger, Sebastian, Ralf"),
		female: words("Ursula, Monika, Petra, Sabine, Andrea, Claudia, Susanne, Birgit, Heike, Martina, Angelika, Gisela, Renate, Käthe, Karin, Stefanie, Anke, Bärbel, Silke, Ulrike"),
		last:   words("Müller, Schmidt, Schneider, Fischer, Weber, Meyer, Wagner, Becker, Schulz, Hoffmann, Schäfer, Koch, Bauer, Richter, Klein, Wolf, Schröder, Neumann, Schwarz, Zimmermann, Braun, Krüger, Hartmann, Lange, Krause, Lehmann, Köhler, Vogel, Friedrich, Günther, Winkler, von Arnim"),
		cities: cities("Berlin/Berlin/10###, Hamburg/Hamburg/20###, München/Bayern/80###, Köln/Nordrhein-Westfalen/50###, Frankfurt/Hessen/60###, Stuttgart/Baden-Württemberg/70###, Düsseldorf/Nordrhein-Westfalen/40###, Leipzig/Sachsen/04###, Dortmund/Nordrhein-Westfalen/44###, Bremen/Bremen/28###, Hannover/Niedersachsen/30###, Nürnberg/Bayern/90###, Freiburg/Baden-Württemberg/79###, Rostock/Mecklenburg-Vorpommern/18###"),
		street: "* #", streets: words("Hauptstraße, Schulstraße, Bahnhofstraße, Gartenweg, Dorfstraße, Bergstraße, Birkenweg, Lindenallee, Kirchplatz, Goethestraße, Schillerstraße, Mühlenweg, Am Markt, Rosenstraße, Ringstraße, Amselweg"),
	}, {
		name: "United Kingdom", nationality: "British", share: 9, currency: "GBP", dial: "44",
		area: "####", local: "######", tld: "co.uk", languages: listOf("English"),
		male:   words("Oliver, George, Harry, Jack, Alastair, Nigel, Graham, Trevor, Ian, Keith, Stuart, Colin, Simon, Adrian, Neil, Rhys, Hamish, Duncan, Giles, Rupert"),
		female: words("Olivia, Amelia, Charlotte, Gemma, Fiona, Hazel, Gillian, Heather, Lesley, Tracey, Wendy, Rosalind, Imogen, Bronwen, Morag, Philippa, Harriet, Beatrice, Siobhan, Zoë"),
		last:   words("Evans, Hughes, Patel, Roberts, Wood, Edwards, Hall, Khan, Turner, Cooper, Ward, Morris, Baker, Carter, Bennett, Ellis, Marshall, Chapman, Webb, MacDonald, Campbell, Fraser, Sinclair, Llewellyn, Ashworth, Blackwood, Cholmondeley, Fairweather, Hargreaves, Pemberton, Thistlewood, O'Connor"),
		cities: cities("London/Greater London/SW# #@@, Manchester/Greater Manchester/M## #@@, Birmingham/West Midlands/B## #@@, Leeds/West Yorkshire/LS# #@@, Glasgow/Scotland/G## #@@, Edinburgh/Scotland/EH# #@@, Bristol/Avon/BS# #@@, Cardiff/Wales/CF## #@@, Sheffield/South Yorkshire/S## #@@, Liverpool/Merseyside/L## #@@, Newcastle upon Tyne/Tyne and Wear/NE# #@@, Belfast/Northern Ireland/BT# #@@, Norwich/Norfolk/NR# #@@, Exeter/Devon/EX# #@@"),
		street: "# *", streets: words("High Street, Station Road, Church Lane, Victoria Road, Green Lane, Manor Road, Park Road, Queens Road, Kings Avenue, Mill Lane, Windsor Close, The Crescent, York Terrace, Albert Mews, Grange Gardens, Chapel Row"),
	}, {
		name: "Japan", nationality: "Japanese", share: 6, currency: "JPY", dial: "81",
		area: "##", local: "########", tld: "co.jp", languages: listOf("Japanese, English"),
		male:   words("Hiroshi, Takashi, Kenji, Satoshi, Makoto, Haruto, Shōta, Daisuke, Kazuo, Yoshio, Akira, Naoki, Tetsuya, Ryō, Minoru, Shigeru"),
		female: words("Yoko, Keiko, Akiko, Naomi, Yumiko, Tomoko, Hana, Sakura, Misaki, Emi, Yūko, Kazuko, Haruka, Ayumi, Noriko, Chieko"),
		last:   words("Sato, Suzuki, Takahashi, Tanaka, Watanabe, Itō, Yamamoto, Nakamura, Kobayashi, Katō, Yoshida, Yamada, Sasaki, Matsumoto, Inoue, Kimura, Hayashi, Shimizu, Mori, Ikeda, Hashimoto, Ishikawa, Ōta, Fujiwara"),
		cities: cities("Tokyo/Tokyo/1##-####, Osaka/Osaka/53#-####, Nagoya/Aichi/46#-####, Sapporo/Hokkaidō/06#-####, Fukuoka/Fukuoka/81#-####, Kōbe/Hyogo/65#-####, Kyoto/Kyoto/60#-####, Yokohama/Kanagawa/22#-####, Sendai/Miyagi/98#-####, Hiroshima/Hiroshima/73#-####"),
		street: "#-# *", streets: words("Marunouchi, Ginza, Shinjuku, Sakae, Tenjin, Umeda, Motomachi, Aoba, Honmachi, Nishiki, Kamiyacho, Sakuragicho"),
	}, {
		name: "France", nationality: "French", share: 6, currency: "EUR", dial: "33",
		area: "#", local: "########", tld: "fr", languages: listOf("French, English"),
		male:   words("Jean, Pierre, Michel, Philippe, Alain, Nicolas, Christophe, Laurent, Frédéric, Olivier, Thierry, Hervé, François, Didier, Jérôme, Guillaume, Benoit, Yves"),
		female: words("Nathalie, Isabelle, Sylvie, Catherine, Véronique, Sandrine, Céline, Valérie, Christine, Françoise, Monique, Brigitte, Aurélie, Dominique, Chantal, Elodie, Margaux, Solange"),
		last:   words("Martin, Bernard, Dubois, Thomas, Robert, Richard, Petit, Durand, Leroy, Moreau, Lefèvre, Girard, Bonnet, Dupont, Lambert, Fontaine, Rousseau, Vincent, Gauthier, Perrin, Chevalier, Masson, Bérard, Charpentier, de la Tour, Marchand, Delacroix, Guérin"),
		cities: cities("Paris/Ile-de-France/750##, Marseille/Provence/130##, Lyon/Rhône-Alpes/690##, Toulouse/Midi-Pyrénées/310##, Nice/Provence/060##, Nantes/Pays de la Loire/440##, Strasbourg/Alsace/670##, Bordeaux/Aquitaine/330##, Lille/Nord/590##, Rennes/Bretagne/350##, Saint-Étienne/Rhône-Alpes/420##, Besançon/Franche-Comté/250##"),
		street: "# *", streets: words("rue de la République, avenue Victor Hugo, rue Pasteur, boulevard Voltaire, rue des Écoles, place de la Mairie, rue du Moulin, avenue Jean Jaurès, rue Saint-Martin, quai des Brumes, impasse des Lilas, chemin des Vignes"),
	}, {
		name: "Canada", nationality: "Canadian", share: 5, currency: "CAD", dial: "1",
		area: "###", local: "#######", tld: "ca", languages: listOf("English, French"),
		male:   words("Liam, Ethan, Gordon, Russell, Darcy, Maxime, Étienne, Mathieu, Wayne, Bruce, Luc, Sylvain, Connor, Logan, Douglas, René"),
		female: words("Emma, Chloé, Madison, Sophie, Geneviève, Josianne, Heidi, Shannon, Brenda, Lorraine, Kathleen, Paige, Noemie, Marlene, Audrey, Tanya"),
		last:   words("Tremblay, Gagnon, Roy, Côté, Bouchard, Gauthier, Morin, Lavoie, Fortin, Gagné, Singh, Macleod, Stewart, Chan, Reid, Murray, Grant, Hamilton, Boudreau, LeBlanc, Pelletier, Friesen, Kozak, Sutherland"),
		cities: cities("Toronto/Ontario/M#@ #@#, Montréal/Québec/H#@ #@#, Vancouver/British Columbia/V#@ #@#, Calgary/Alberta/T#@ #@#, Ottawa/Ontario/K#@ #@#, Edmonton/Alberta/T#@ #@#, Winnipeg/Manitoba/R#@ #@#, Halifax/Nova Scotia/B#@ #@#, Québec/Québec/G#@ #@#, Saskatoon/Saskatchewan/S#@ #@#"),
		street: "# *", streets: words("Yonge Street, King Street West, Rue Sherbrooke, Granville Street, Portage Avenue, Bloor Street East, Rideau Street, Jasper Avenue, Barrington Street, Dundas Street, Rue Saint-Jean, Maple Crescent"),
	}, {
		name: "India", nationality: "Indian", share: 5, currency: "INR", dial: "91",
		area: "##", local: "########", tld: "in", languages: listOf("Hindi, English, Tamil"),
		male:   words("Rajesh, Amit, Sanjay, Vijay, Arun, Suresh, Ravi, Anil, Deepak, Manoj, Prakash, Vikram, Ashok, Harish, Kiran, Naveen, Sandeep, Gopal"),
		female: words("Priya, Anjali, Sunita, Kavita, Lakshmi, Deepa, Meena, Pooja, Rekha, Shanti, Usha, Asha, Geeta, Nandini, Radha, Swati, Vidya, Padma"),
		last:   words("Sharma, Verma, Gupta, Singh, Kumar, Patel, Reddy, Iyer, Nair, Mehta, Joshi, Desai, Rao, Chatterjee, Mukherjee, Banerjee, Kapoor, Malhotra, Bhatt, Agarwal, Srinivasan, Krishnan, Pillai, Chowdhury"),
		cities: cities("Mumbai/Maharashtra/4000##, Delhi/Delhi/1100##, Bangalore/Karnataka/5600##, Hyderabad/Andhra Pradesh/5000##, Chennai/Tamil Nadu/6000##, Kolkata/West Bengal/7000##, Pune/Maharashtra/4110##, Ahmedabad/Gujarat/3800##, Jaipur/Rajasthan/3020##, Kochi/Kerala/6820##"),
		street: "# *", streets: words("MG Road, Nehru Nagar, Gandhi Marg, Park Street, Linking Road, Anna Salai, Residency Road, Sardar Patel Marg, Brigade Road, Lake Gardens, Civil Lines, Station Road"),
	}, {
		name: "Italy", nationality: "Italian", share: 4, currency: "EUR", dial: "39",
		area: "0##", local: "#######", tld: "it", languages: listOf("Italian, English"),
		male:   words("Giuseppe, Marco, Alessandro, Giovanni, Antonio, Roberto, Andrea, Stefano, Francesco, Luca, Matteo, Paolo, Salvatore, Nicolò, Enrico, Vincenzo"),
		female: words("Giulia, Francesca, Chiara, Valentina, Paola, Silvia, Elena, Federica, Laura, Maria, Rosa, Alessandra, Simona, Caterina, Fosca, Bianca"),
		last:   words("Rossi, Russo, Ferrari, Esposito, Bianchi, Romano, Colombo, Ricci, Marino, Greco, Bruno, Gallo, Conti, De Luca, Costa, Giordano, Mancini, Rizzo, Lombardi, Moretti, Vittorini, Barbieri, Fontana, D'Angelo, Nicolòsi, Salè"),
		cities: cities("Roma/Lazio/001##, Milano/Lombardia/201##, Napoli/Campania/801##, Torino/Piemonte/101##, Palermo/Sicilia/901##, Genova/Liguria/161##, Bologna/Emilia-Romagna/401##, Firenze/Toscana/501##, Venezia/Veneto/301##, Forlì/Emilia-Romagna/471##"),
		street: "* #", streets: words("Via Roma, Via Garibaldi, Corso Vittorio Emanuele, Via Dante, Piazza Cavour, Via Mazzini, Viale della Libertà, Via Manzoni, Corso Italia, Via San Marco, Via dei Mille, Largo Augusto"),
	}, {
		name: "Spain", nationality: "Spanish", share: 4, currency: "EUR", dial: "34",
		area: "9#", local: "#######", tld: "es", languages: listOf("Spanish, English, Catalan"),
		male:   words("Antonio, Manuel, José, Francisco, Javier, Carlos, Miguel, Rafael, Pedro, Ángel, Fernando, Luis, Alberto, Sergio, Raúl, Joaquín, Iñaki, Ignacio"),
		female: words("Carmen, Ana, Isabel, Dolores, Pilar, Josefa, Teresa, Cristina, Lucía, Rocío, Beatriz, Mercedes, Montserrat, Begoña, Nuria, Marta, Concepción, Yolanda"),
		last:   words("García, Fernández, González, López, Sánchez, Pérez, Gómez, Ruiz, Díaz, Moreno, Álvarez, Romero, Alonso, Navarro, Torres, Domínguez, Vázquez, Ramos, Serrano, Blanco, Molina, Castro, Ortega, Iglesias, Villoldo, Palomar"),
		cities: cities("Madrid/Madrid/280##, Barcelona/Cataluña/080##, Valencia/Valencia/460##, Sevilla/Andalucía/410##, Zaragoza/Aragón/500##, Málaga/Andalucía/290##, Murcia/Murcia/300##, Bilbao/País Vasco/480##, Alicante/Valencia/030##, La Coruña/Galicia/150##"),
		street: "* #", streets: words("Calle Mayor, Calle Real, Avenida de la Constitución, Plaza de España, Calle del Sol, Calle de Alcalá, Paseo del Prado, Rambla Nova, Calle San Juan, Gran Vía, Calle Cervantes, Camino Viejo"),
	}, {
		name: "Brazil", nationality: "Brazilian", share: 3, currency: "BRL", dial: "55",
		area: "##", local: "########", tld: "com.br", languages: listOf("Portuguese, English"),
		male:   words("João, Pedro, Lucas, Gabriel, Rafael, Marcelo, Eduardo, Ricardo, Thiago, Bruno, André, Caio, Flávio, Leandro, Otavio, Vinicius"),
		female: words("Ana, Juliana, Fernanda, Camila, Patrícia, Letícia, Mariana, Aline, Vanessa, Tatiana, Renata, Beatriz, Lúcia, Adriana, Bruna, Simone"),
		last:   words("Silva, Santos, Oliveira, Souza, Lima, Pereira, Ferreira, Almeida, Costa, Carvalho, Rodrigues, Gomes, Martins, Araújo, Barbosa, Ribeiro, Cardoso, Nogueira, Guimarães, Magalhães, Teixeira, Moreira"),
		cities: cities("São Paulo/São Paulo/01###-###, Rio de Janeiro/Rio de Janeiro/20###-###, Brasília/Distrito Federal/70###-###, Salvador/Bahia/40###-###, Fortaleza/Ceará/60###-###, Belo Horizonte/Minas Gerais/30###-###, Curitiba/Paraná/80###-###, Recife/Pernambuco/50###-###, Porto Alegre/Rio Grande do Sul/90###-###, Manaus/Amazonas/69###-###"),
		street: "*, #", streets: words("Rua das Flores, Avenida Paulista, Rua Sete de Setembro, Rua Augusta, Avenida Brasil, Rua XV de Novembro, Rua da Consolação, Alameda Santos, Rua Dom Pedro, Avenida Atlantica, Travessa do Carmo, Rua Tiradentes"),
	}, {
		name: "Netherlands", nationality: "Dutch", share: 3, currency: "EUR", dial: "31",
		area: "0##", local: "#######", tld: "nl", languages: listOf("Dutch, English, German"),
		male:   words("Jan, Pieter, Kees, Willem, Hendrik, Johan, Dirk, Sander, Jeroen, Maarten, Bram, René, Wouter, Gijs, Ruud, Thijs"),
		female: words("Anna, Maria, Johanna, Sanne, Femke, Marieke, Ingrid, Anouk, Lotte, Saskia, Esther, Wilma, Noëlle, Ilse, Hanneke, Tineke"),
		last:   words("de Jong, Jansen, de Vries, van den Berg, van Dijk, Bakker, Visser, Smit, Meijer, de Boer, Mulder, de Groot, Bos, Vos, Peters, Hendriks, van Leeuwen, Dekker, Brouwer, de Wit, Dijkstra, Kuipers, Coën, Zijlstra"),
		cities: cities("Amsterdam/Noord-Holland/10## @@, Rotterdam/Zuid-Holland/30## @@, Den Haag/Zuid-Holland/25## @@, Utrecht/Utrecht/35## @@, Eindhoven/Noord-Brabant/56## @@, Groningen/Groningen/97## @@, Tilburg/Noord-Brabant/50## @@, Nijmegen/Gelderland/65## @@, Enschede/Overijssel/75## @@, Haarlem/Noord-Holland/20## @@"),
		street: "* #", streets: words("Kerkstraat, Dorpsstraat, Molenweg, Schoolstraat, Stationsweg, Julianalaan, Beatrixstraat, Prinsengracht, Oranjeplein, Wilhelminapark, Nieuwstraat, Caféstraat"),
	}, {
		name: "Switzerland", nationality: "Swiss", share: 3, currency: "CHF", dial: "41",
		area: "##", local: "#######", tld: "ch", languages: listOf("German, French, Italian"),
		male:   words("Urs, Beat, Reto, Ueli, Daniel, Markus, Roger, Lukas, Pascal, Sébastien, Fabio, Jürg, René, André, Stephan, Bruno"),
		female: words("Vreni, Barbara, Regula, Monika, Corinne, Ursina, Rahel, Nadja, Daniela, Hélène, Claudine, Silvia, Béatrice, Therese, Anita, Jolanda"),
		last:   words("Müller, Meier, Schmid, Keller, Weber, Huber, Schneider, Meyer, Steiner, Fischer, Gerber, Brunner, Baumann, Frei, Zimmermann, Moser, Widmer, Wyss, Graf, Roth, Sutter, Bühler, Künzli, Zürcher, Favre, Rochat"),
		cities: cities("Zürich/Zürich/80##, Genève/Genève/12##, Basel/Basel-Stadt/40##, Bern/Bern/30##, Lausanne/Vaud/10##, Winterthur/Zürich/84##, Luzern/Luzern/60##, St. Gallen/St. Gallen/90##, Lugano/Ticino/69##, Neuchâtel/Neuchâtel/20##"),
		street: "* #", streets: words("Bahnhofstrasse, Seestrasse, Dorfstrasse, Hauptstrasse, Kirchweg, Zürichstrasse, Rue du Lac, Avenue de la Gare, Bergstrasse, Sonnenweg, Mühlegasse, Chemin des Crêts"),
	}, {
		name: "Australia", nationality: "Australian", share: 3, currency: "AUD", dial: "61",
		area: "#", local: "########", tld: "com.au", languages: listOf("English"),
		male:   words("Lachlan, Cooper, Bradley, Shane, Craig, Darren, Glenn, Warren, Angus, Heath, Jarrod, Clayton, Mitchell, Dale, Brett, Gavin"),
		female: words("Kylie, Narelle, Sheridan, Leanne, Jacinta, Bronte, Matilda, Robyn, Cheryl, Kirsty, Tegan, Brooke, Raelene, Felicity, Gwen, Ebony"),
		last:   words("Nguyen, Kelly, Ryan, Walsh, Murphy, Harrison, Simpson, Gibson, Fitzgerald, Doyle, Watts, Barker, Tran, Burns, Kennedy, Lyons, Papadopoulos, Whitlam, McKenzie, O'Brien, Hawke, Lawson"),
		cities: cities("Sydney/New South Wales/20##, Melbourne/Victoria/30##, Brisbane/Queensland/40##, Perth/Western Australia/60##, Adelaide/South Australia/50##, Hobart/Tasmania/70##, Darwin/Northern Territory/08##, Canberra/ACT/26##, Newcastle/New South Wales/23##, Geelong/Victoria/32##"),
		street: "# *", streets: words("George Street, Collins Street, Queen Street, Kangaroo Road, Beach Parade, Wattle Grove, Banksia Avenue, Pacific Highway, Flinders Lane, Eucalyptus Drive, Railway Terrace, Harbour View"),
	}, {
		name: "Mexico", nationality: "Mexican", share: 2, currency: "MXN", dial: "52",
		area: "##", local: "########", tld: "com.mx", languages: listOf("Spanish, English"),
		male:   words("Juan, Alejandro, Jorge, Arturo, Ricardo, Guillermo, Héctor, Ernesto, Gerardo, Mario, Emiliano, Gustavo, Moisés, Rubén, Octavio, Salvador"),
		female: words("Guadalupe, Margarita, Verónica, Leticia, Rosa, Alejandra, Gabriela, Claudia, Norma, Angélica, Silvia, Araceli, Ximena, Esperanza, María, Lorena"),
		last:   words("Hernández, Flores, Jiménez, Reyes, Cruz, Morales, Gutiérrez, Ortiz, Chávez, Mendoza, Aguilar, Vargas, Castillo, Guerrero, Medina, Rojas, Méndez, Zamora, Espinoza, Cervantes, Salazar, Padilla"),
		cities: cities("Ciudad de México/Distrito Federal/06###, Guadalajara/Jalisco/44###, Monterrey/Nuevo León/64###, Puebla/Puebla/72###, Tijuana/Baja California/22###, León/Guanajuato/37###, Mérida/Yucatán/97###, Querétaro/Querétaro/76###, Toluca/Estado de Mexico/50###, Veracruz/Veracruz/91###"),
		street: "* #", streets: words("Avenida Reforma, Calle Hidalgo, Avenida Juárez, Calle Morelos, Insurgentes Sur, Calle Madero, Avenida Universidad, Calle Allende, Calzada de Tlalpan, Calle Cinco de Mayo, Paseo de los Heroes, Calle Zaragoza"),
	}, {
		name: "China", nationality: "Chinese", share: 3, currency: "CNY", dial: "86",
		area: "###", local: "########", tld: "cn", languages: listOf("Chinese, English"),
		male:   words("Wei, Jian, Ming, Qiang, Lei, Jun, Peng, Bo, Hao, Feng, Gang, Zhiqiang, Yong, Chao, Guangzhu, Lü"),
		female: words("Fang, Na, Xiuying, Min, Jing, Li, Yan, Juan, Xia, Hui, Ying, Mei, Lan, Gongzhu, Qian, Nüying"),
		last:   words("Wang, Li, Zhang, Liu, Chen, Yang, Huang, Zhao, Wu, Zhou, Xu, Sun, Ma, Zhu, Hu, Guo, He, Lin, Gao, Luo, Lü, Zheng, Deng, Ouyang"),
		cities: cities("Beijing/Beijing/1000##, Shanghai/Shanghai/2000##, Guangzhou/Guangdong/5100##, Shenzhen/Guangdong/5180##, Chengdu/Sichuan/6100##, Tianjin/Tianjin/3000##, Wuhan/Hubei/4300##, Xi'an/Shaanxi/7100##, Hangzhou/Zhejiang/3100##, Nanjing/Jiangsu/2100##"),
		street: "# *", streets: words("Nanjing Road, Zhongshan Road, Renmin Avenue, Jiefang Road, Chang'an Avenue, Beijing Road, Huaihai Road, Xinhua Street, Tianhe Road, Wenyi Road, Fuxing Road, Hongqiao Street"),
	}, {
		name: "Sweden", nationality: "Swedish", share: 2, currency: "SEK", dial: "46",
		area: "##", local: "#######", tld: "se", languages: listOf("Swedish, English"),
		male:   words("Lars, Erik, Anders, Karl, Johan, Nils, Göran, Björn, Håkan, Magnus, Gustav, Mats, Oskar, Per, Sven, Åke"),
		female: words("Anna, Karin, Eva, Birgitta, Margareta, Sara, Ulla, Lena, Kristina, Ingrid, Åsa, Helena, Gun, Linnea, Märta, Sofia"),
		last:   words("Andersson, Johansson, Karlsson, Nilsson, Eriksson, Larsson, Olsson, Persson, Svensson, Gustafsson, Lindberg, Lindström, Bergström, Sandberg, Sjöberg, Lundgren, Nyström, Holm, Åkesson, Eklöf, Wallin, Forsberg"),
		cities: cities("Stockholm/Stockholm/11# ##, Göteborg/Västra Götaland/41# ##, Malmö/Skåne/21# ##, Uppsala/Uppsala/75# ##, Västerås/Västmanland/72# ##, Linkoping/Ostergotland/58# ##, Lund/Skåne/22# ##, Umeå/Västerbotten/90# ##, Kalmar/Kalmar/39# ##, Visby/Gotland/62# ##"),
		street: "* #", streets: words("Storgatan, Drottninggatan, Kungsgatan, Skolvägen, Björkvägen, Ringvägen, Skogsgatan, Parkvägen, Kyrkogatan, Nygatan, Strandvägen, Hantverkargatan"),
	}, {
		name: "Poland", nationality: "Polish", share: 2, currency: "PLN", dial: "48",
		area: "##", local: "#######", tld: "pl", languages: listOf("Polish, English"),
		male:   words("Piotr, Krzysztof, Andrzej, Tomasz, Jan, Paweł, Michał, Marcin, Stanisław, Jakub, Adam, Marek, Grzegorz, Zbigniew, Jerzy, Rafał"),
		female: words("Anna, Maria, Katarzyna, Małgorzata, Agnieszka, Barbara, Ewa, Krystyna, Elżbieta, Magdalena, Joanna, Zofia, Jadwiga, Danuta, Beata, Teresa"),
		last:   words("Nowak, Kowalski, Wiśniewski, Wójcik, Kowalczyk, Kamiński, Lewandowski, Zieliński, Szymański, Woźniak, Dąbrowski, Kozłowski, Mazur, Jankowski, Krawczyk, Piotrowski, Grabowski, Pawłowski, Michalski, Zając, Król, Wieczorek"),
		cities: cities("Warszawa/Mazowieckie/00-###, Kraków/Małopolskie/30-###, Łódź/Łódzkie/90-###, Wrocław/Dolnośląskie/50-###, Poznań/Wielkopolskie/60-###, Gdańsk/Pomorskie/80-###, Szczecin/Zachodniopomorskie/70-###, Lublin/Lubelskie/20-###, Katowice/Śląskie/40-###, Opole/Opolskie/45-###"),
		street: "ul. * #", streets: words("Polna, Leśna, Słoneczna, Krótka, Szkolna, Ogrodowa, Lipowa, Brzozowa, Łąkowa, Kwiatowa, Kościelna, Mickiewicza"),
	}, {
		name: "Portugal", nationality: "Portuguese", share: 2, currency: "EUR", dial: "351",
		area: "2#", local: "#######", tld: "pt", languages: listOf("Portuguese, English, French"),
		male:   words("José, António, João, Manuel, Francisco, Luís, Paulo, Rui, Nuno, Tiago, Miguel, Jorge, Carlos, Afonso, Duarte, Gonçalo"),
		female: words("Maria, Ana, Isabel, Teresa, Catarina, Rita, Sofia, Joana, Inês, Fátima, Helena, Beatriz, Filipa, Marta, Leonor, Conceição"),
		last:   words("Silva, Santos, Ferreira, Pereira, Oliveira, Costa, Rodrigues, Martins, Sousa, Fernandes, Gonçalves, Gomes, Lopes, Marques, Alves, Ribeiro, Pinto, Carvalho, Teixeira, Simões, Magalhães, Moura"),
		cities: cities("Lisboa/Lisboa/1###-###, Porto/Porto/4###-###, Braga/Braga/47##-###, Coimbra/Coimbra/30##-###, Setúbal/Setúbal/29##-###, Funchal/Madeira/90##-###, Faro/Algarve/80##-###, Aveiro/Aveiro/38##-###, Évora/Évora/70##-###, Guimarães/Braga/48##-###"),
		street: "* #", streets: words("Rua Augusta, Avenida da Liberdade, Rua de Santa Catarina, Rua do Ouro, Praça do Comércio, Rua da Igreja, Rua Direita, Travessa das Flores, Rua 25 de Abril, Largo do Rossio, Rua São João, Calcada do Combro"),
	}, {
		name: "Norway", nationality: "Norwegian", share: 1, currency: "NOK", dial: "47",
		area: "##", local: "######", tld: "no", languages: listOf("Norwegian, English"),
		male:   words("Ole, Lars, Kjell, Knut, Svein, Arne, Terje, Odd, Geir, Rune, Pål, Håkon, Leif, Bjørn, Sverre, Torbjørn"),
		female: words("Anne, Inger, Kari, Marit, Ingrid, Liv, Berit, Astrid, Solveig, Sissel, Randi, Hilde, Tone, Åse, Grø, Bente"),
		last:   words("Hansen, Johansen, Olsen, Larsen, Andersen, Pedersen, Nilsen, Kristiansen, Jensen, Karlsen, Johnsen, Haugen, Berg, Hagen, Sørensen, Bråten, Dahl, Ødegård, Lie, Moen, Solberg, Kell"),
		cities: cities("Oslo/Oslo/0###, Bergen/Hordaland/5###, Trondheim/Sør-Trøndelag/7###, Stavanger/Rogaland/4###, Tromsø/Troms/90##, Drammen/Buskerud/30##, Bodø/Nordland/80##, Ålesund/Møre og Romsdal/60##"),
		street: "* #", streets: words("Storgata, Kirkegata, Skolegata, Parkveien, Strandgata, Bjørkeveien, Karl Johans gate, Sjøgata, Skippergata, Fjellveien"),
	}, {
		name: "Austria", nationality: "Austrian", share: 1, currency: "EUR", dial: "43",
		area: "###", local: "######", tld: "at", languages: listOf("German, English"),
		male:   words("Franz, Josef, Johann, Karl, Gerhard, Herbert, Leopold, Alois, Erwin, Günther, Helmut, Manfred, Norbert, Florian, Rüdiger, Gernot"),
		female: words("Maria, Elisabeth, Eva, Christine, Gertrude, Hermine, Margarethe, Brigitte, Edith, Waltraud, Sieglinde, Theresia, Rosemarie, Lieselotte, Käthe, Doris"),
		last:   words("Gruber, Huber, Bauer, Wagner, Müller, Pichler, Steiner, Moser, Mayer, Hofer, Leitner, Berger, Fuchs, Eder, Fischer, Schmid, Winkler, Weber, Schwarz, Maier, Haider, Hörmann"),
		cities: cities("Wien/Wien/1###, Graz/Steiermark/80##, Linz/Oberösterreich/40##, Salzburg/Salzburg/50##, Innsbruck/Tirol/60##, Klagenfurt/Kärnten/90##, Bregenz/Vorarlberg/69##, St. Pölten/Niederösterreich/31##"),
		street: "* #", streets: words("Ringstraße, Mariahilfer Straße, Hauptplatz, Landstraße, Schulgasse, Bachgasse, Feldgasse, Wiener Straße, Kirchengasse, Waldweg"),
	}, {
		name: "Ireland", nationality: "Irish", share: 1, currency: "EUR", dial: "353",
		area: "##", local: "#######", tld: "ie", languages: listOf("English, Irish"),
		male:   words("Patrick, Seán, Conor, Declan, Brendan, Eoin, Fergus, Niall, Padraig, Cormac, Diarmuid, Liam, Ciarán, Donal, Fintan, Gareth"),
		female: words("Aoife, Niamh, Siobhán, Ciara, Orla, Maeve, Deirdre, Grainne, Roisin, Sinead, Nuala, Bridget, Eithne, Una, Fionnuala, Aisling"),
		last:   words("Murphy, Kelly, O'Sullivan, Walsh, Byrne, Ryan, O'Reilly, Doyle, McCarthy, Gallagher, Doherty, Lynch, Murray, Quinn, Moore, McLoughlin, Carroll, Connolly, Daly, Ó Briain, Brennan, Fitzpatrick"),
		cities: cities("Dublin/Leinster/D##, Cork/Munster/T##, Galway/Connacht/H##, Limerick/Munster/V##, Waterford/Munster/X##, Sligo/Connacht/F##, Kilkenny/Leinster/R##, Dún Laoghaire/Leinster/A##"),
		street: "# *", streets: words("O'Connell Street, Grafton Street, Main Street, Patrick Street, Shop Street, Bridge Street, Castle Avenue, Abbey Road, Strand Road, Saint Brigid Terrace"),
	}, {
		name: "Korea", nationality: "Korean", share: 2, currency: "KRW", dial: "82",
		area: "##", local: "########", tld: "co.kr", languages: listOf("Korean, English"),
		male:   words("Min-jun, Seo-joon, Ji-hoon, Sung-ho, Jun-young, Dong-hyun, Hyun-woo, Young-ho, Kyung-soo, Jae-won, Tae-yang, Sang-min"),
		female: words("Seo-yeon, Ji-woo, Min-ji, Soo-jin, Eun-ji, Hye-jin, Yoon-ah, Mi-sook, Young-hee, Kyung-ja, Ha-eun, Sun-young"),
		last:   words("Kim, Lee, Park, Choi, Jung, Kang, Cho, Yoon, Jang, Lim, Han, Oh, Seo, Shin, Kwon, Hwang, Ahn, Song, Yoo, Hong"),
		cities: cities("Seoul/Seoul/1##-###, Busan/Busan/6##-###, Incheon/Incheon/4##-###, Daegu/Daegu/7##-###, Daejeon/Daejeon/3##-###, Gwangju/Gwangju/5##-###, Ulsan/Ulsan/68#-###, Suwon/Gyeonggi/44#-###"),
		street: "# *", streets: words("Sejong-daero, Teheran-ro, Gangnam-daero, Jong-ro, Haeundae-ro, Dongseong-ro, Namdaemun-ro, Mapo-daero, Toegye-ro, Olympic-ro"),
	}, {
		name: "Turkey", nationality: "Turkish", share: 1, currency: "TRY", dial: "90",
		area: "###", local: "#######", tld: "com.tr", languages: listOf("Turkish, English"),
		male:   words("Mehmet, Mustafa, Ahmet, Ali, Hüseyin, Hasan, Ibrahim, Osman, Yusuf, Murat, Ömer, Ramazan, Halil, Süleyman, Emre, Kemal"),
		female: words("Fatma, Ayşe, Emine, Hatice, Zeynep, Elif, Meryem, Şerife, Sultan, Hanife, Merve, Zehra, Leyla, Gül, Esra, Selin"),
		last:   words("Yılmaz, Kaya, Demir, Şahin, Çelik, Yıldız, Yıldırım, Öztürk, Aydin, Özdemir, Arslan, Doğan, Kılıç, Aslan, Çetin, Kara, Koç, Kurt, Özkan, Polat"),
		cities: cities("Istanbul/Istanbul/34###, Ankara/Ankara/06###, Izmir/Izmir/35###, Bursa/Bursa/16###, Antalya/Antalya/07###, Konya/Konya/42###, Eskişehir/Eskişehir/26###, Çanakkale/Çanakkale/17###"),
		street: "* No #", streets: words("Atatürk Caddesi, Cumhuriyet Caddesi, İstiklal Caddesi, Gazi Bulvarı, İnönü Sokak, Lale Sokak, Barbaros Caddesi, Mimar Sinan Sokak, Bahar Sokak, Fatih Caddesi"),
	}, {
		name: "Hungary", nationality: "Hungarian", share: 1, currency: "HUF", dial: "36",
		area: "##", local: "######", tld: "hu", languages: listOf("Hungarian, German, English"),
		male:   words("László, István, József, János, Zoltán, Sándor, Ferenc, Gábor, Attila, Péter, Tamás, Tibor, Ákos, Imre, Levente, György"),
		female: words("Mária, Erzsébet, Katalin, Ilona, Éva, Anna, Zsuzsanna, Margit, Judit, Ágnes, Julianna, Andrea, Ildikó, Krisztina, Piroska, Szilvia"),
		last:   words("Nagy, Kovács, Tóth, Szabó, Horváth, Varga, Kiss, Molnár, Németh, Farkas, Balogh, Papp, Takács, Juhász, Lakatos, Mészáros, Simon, Rácz, Fekete, Szilágyi"),
		cities: cities("Budapest/Budapest/1###, Debrecen/Hajdú-Bihar/40##, Szeged/Csongrád/67##, Miskolc/Borsod/35##, Pécs/Baranya/76##, Győr/Győr-Moson-Sopron/90##, Sopron/Győr-Moson-Sopron/94##, Eger/Heves/33##"),
		street: "* #", streets: words("Kossuth utca, Petőfi utca, Rákóczi út, Dobó tér, Arany János utca, Fő utca, József Attila utca, Béke tér, Vas utca, Duna utca"),
	},
}
